/** Whole lives in which the operators are killed come to the same as the one in which they are not. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { isShared } from "../../../packages/clusters/src/kubeconfig/testing/life.ts";
import { oneOfEach } from "../../crash/choose.ts";
import { kindOf, nameOf } from "../../crash/mortal.ts";
import { inParallel } from "../../scenarios/in-parallel.ts";
import { type Landscape, openLandscape, type Servers } from "./landscape.ts";
import { type Kill, live, type Story } from "./life.ts";

export interface KilledOptions {
  start(): Promise<Servers & AsyncDisposable>;
  /** How many lives go on at once. */
  atOnce: number;
}

/**
 * Where the operators meet: the account and the Shoot, administrators, the first token and what is published, and what goes
 * first and last. Every other write, and each operator by itself, has kills of its own in packages/clusters.
 */
const meetings = [
  "create subscriptionrequests at home",
  "patch credentialsbindings at garden",
  "create shoots at garden",
  "create clusterrolebindings at target",
  "create serviceaccounts/token at target",
  "create secrets at home",
  "delete shoots at garden",
  "delete serviceaccounts at target",
  "delete subscriptionrequests at home",
];

// `BERG_CRASHES=all` tries every write, before and after it; otherwise each of those is met once.
const isAll = process.env.BERG_CRASHES === "all";
const choose = (kills: readonly Kill[]) =>
  isAll ? kills : oneOfEach(kills, kindOf).filter((kill) => meetings.includes(kindOf(kill)));

export function describeKilled({ start, atOnce }: KilledOptions): void {
  const undo = new AsyncDisposableStack();
  let landscape: Landscape;
  let clean: Story;
  beforeAll(async () => {
    landscape = undo.use(await openLandscape(undo.use(await start())));
  });
  afterAll(() => undo.disposeAsync());

  test("nobody is killed", { timeout: 120_000 }, async () => {
    clean = await live(landscape, "life-0");
  });

  test("killed at a write, others come to the same", { timeout: 3_600_000 }, async () => {
    const kills = choose(clean.kills);
    expect(kills.map(kindOf)).toEqual(expect.arrayContaining(meetings));
    const names = new Map(kills.map((kill, at) => [kill, `life-${at + 1}`]));
    const tryEach = (most: number, some: readonly Kill[]) =>
      inParallel(most, some, nameOf, async (kill) => {
        await live(landscape, names.get(kill) as string, clean, kill);
      });
    // They take away the namespace in the target that all share.
    const alone = await tryEach(1, kills.filter(isShared));
    const others = await tryEach(
      atOnce,
      kills.filter((kill) => !isShared(kill)),
    );
    expect([...alone, ...others]).toEqual([]);
  });
}
