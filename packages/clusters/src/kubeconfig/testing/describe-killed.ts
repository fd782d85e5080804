/** Lives in which the operator is killed come to the same as the one in which it is not. */
import { expect, test } from "vitest";
import { nameOf } from "../../../../../test/crash/mortal.ts";
import { isShared, type Kill, live, type Story } from "./life.ts";
import type { Place } from "./place.ts";
import { whileTesting } from "./while-testing.ts";

export interface KilledOptions {
  open(): Promise<{ place: Place } & AsyncDisposable>;
  output: "Secret" | "Status";
  choose(kills: readonly Kill[]): Kill[];
  atOnce: number;
}

export function describeKilled({ open, output, choose, atOnce }: KilledOptions): void {
  const world = whileTesting(open);
  let clean: Story;

  test("nobody is killed", { timeout: 120_000 }, async () => {
    clean = await live(world().place, "clean", output);
    expect(clean.stops).toEqual(stops);
  });

  test("killed at a write, another comes to the same", { timeout: 1_800_000 }, async () => {
    const kills = choose(clean.kills);
    expect(kills.length).toBeGreaterThan(7);
    // It takes away the namespace that all share.
    const [alone, others] = [kills.filter(isShared), kills.filter((kill) => !isShared(kill))];
    const failed: string[] = [];
    const tryAll = async (queue: [number, Kill][]) => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [at, kill] = next;
        try {
          const { stops: seen } = await live(world().place, `life-${at}`, output, kill);
          expect(seen).toEqual(stops);
        } catch (error) {
          failed.push(`killed ${nameOf(kill)}: ${(error as Error).message}`);
        }
      }
    };
    await tryAll([...alone.entries()].map(([at, kill]) => [-1 - at, kill]));
    const queue = [...others.entries()];
    await Promise.all(Array.from({ length: atOnce }, () => tryAll(queue)));
    expect(failed).toEqual([]);
  });
}

const all = "clusterRoles 1, clusterRoleBindings 1, roles 1, roleBindings 1, serviceAccounts 1, anchors";
const some = "clusterRoles 1, clusterRoleBindings 1, serviceAccounts 1, anchors";
const well = "Issued=True/Issued RBACReady=True/Granted RulesAccepted=True/Accepted TargetReachable=True/Reached";
const off = "Issued=False/Revoked Revoked=True/Revoked RulesAccepted=True/Accepted TargetReachable=True/Reached";
const rotated = "operator.kyma-project.io/rotated-epoch=2";
const revoke = "operator.kyma-project.io/revoke";

const stops = {
  issued: `Issued 1; retiring none; ${well}; ; has ${all} 1; works`,
  replaced: `Rotating 2; retiring 1; ${well}; ${rotated}; has ${all} 2; works`,
  rotated: `Issued 2; retiring none; ${well}; ${rotated}; has ${all} 1; works`,
  due: `Issued 3; retiring 2; ${well}; ${rotated}; has ${all} 2; works`,
  retired: `Issued 3; retiring none; ${well}; ${rotated}; has ${all} 1; works`,
  ruled: `Issued 3; retiring none; ${well}; ${rotated}; has ${all} 1; works`,
  moved: `Issued 4; retiring 3; ${well}; ${rotated}; has ${some} 2; works`,
  revoked: `Revoked 4; retiring none; ${off}; ${revoke}=true ${rotated}; has ; nothing published`,
  lifted: `Issued 5; retiring none; ${well}; ${revoke}=false ${rotated}; has ${some} 1; works`,
};
