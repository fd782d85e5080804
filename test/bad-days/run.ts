/** Runs bad days one after the other on one cluster, each under load, and judges every one. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Competitions } from "@berg/resources";
import { Cluster } from "../api/cluster.ts";
import { TcpProxy } from "../faults/tcp-proxy.ts";
import { IdentityProvider } from "../openid/identity-provider.ts";
import { startPostgres } from "../postgres/postgres.ts";
import { startEmbeddedWorld } from "../scenarios/embedded-world.ts";
import { type Day, days, type Stage } from "./days.ts";
import { judge } from "./laws.ts";
import { type Answered, Load } from "./load.ts";
import { createMembers, Page } from "./members.ts";
import { providerName } from "./provider-sign-in.ts";

const run = promisify(execFile);

export interface DayResult {
  name: string;
  /** Why it was left out. */
  skipped?: string;
  /** How many answers of each kind, the most frequent first. */
  outcomes: Record<string, number>;
  /** From the end of the cause until every replica has answered reads, changes and sign-ins with success. */
  recoverySeconds: number;
  /** From the end of the cause until the last request that failed. */
  failingSeconds: number;
  /** From the end of the cause until rows, objects and pages agree. */
  settledSeconds: number;
  broken: string[];
}

export interface RunOptions {
  names: readonly string[];
  isQuick: boolean;
  say(text: string): void;
}

const memberCount = 20;
const pageCount = 10;
const longestRecoveryMs = 60_000;
const longestSettlingMs = 120_000;
const calmMs = 1_500;

export async function runDays({ names, isQuick, say }: RunOptions): Promise<DayResult[]> {
  await using parts = new AsyncDisposableStack();
  const stage = await setUp(parts, isQuick);
  const results: DayResult[] = [];
  for (const name of names) {
    say(`${name} …`);
    const result = await runDay(stage, name, days[name] as Day);
    for (const text of result.broken.slice(0, 10)) say(`  BROKEN ${text}`);
    results.push(result);
  }
  return results;
}

async function setUp(parts: AsyncDisposableStack, isQuick: boolean): Promise<Stage> {
  const disk = await mountDisk(parts);
  const postgres = parts.use(await startPostgres(disk === undefined ? {} : { parent: disk }));
  const databaseProxy = parts.use(await TcpProxy.start(postgres));
  const publicUrl = "http://berg.example";
  const provider = parts.use(await IdentityProvider.start({ publicUrl, name: providerName }));
  const env = { OIDC_PROVIDERS: providerName, ...provider.environment(), LOG_LEVEL: "info" };
  const options = { postgres, databasePort: databaseProxy.port, env };
  const cluster = parts.use(await Cluster.start(() => startEmbeddedWorld(), options));
  const body = { spec: { registration: { mode: "open" } } };
  await cluster.client.patch(Competitions, cluster.world.namespace, "competition", { type: "merge", body });
  const members = await createMembers(cluster, memberCount);
  return { cluster, databaseProxy, provider, members, disk, isQuick };
}

/** Large enough for PostgreSQL and its log of a few minutes. */
async function mountDisk(parts: AsyncDisposableStack): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "berg-disk-"));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  try {
    await run("mount", ["-t", "tmpfs", "-o", "size=300m,mode=0755", "tmpfs", directory]);
  } catch {
    return undefined;
  }
  parts.defer(async () => {
    await run("umount", ["-l", directory]);
  });
  return directory;
}

async function runDay(stage: Stage, name: string, day: Day): Promise<DayResult> {
  const skipped = day.missing?.(stage);
  const nothing = { outcomes: {}, recoverySeconds: 0, failingSeconds: 0, settledSeconds: 0, broken: [] };
  if (skipped !== undefined) return { name, skipped, ...nothing };
  using pages = new DisposableStack();
  const open = stage.members.slice(0, pageCount).map((member) => pages.use(new Page(stage.cluster, member)));
  const load = new Load(stage.cluster, stage.members, day);
  const running = load.run();
  const broken: string[] = [];
  let end: () => Promise<unknown> = async () => undefined;
  const attempt = async (what: string, step: () => Promise<unknown>) => {
    try {
      await step();
    } catch (error) {
      broken.push(`${what}: ${(error as Error).message}`);
    }
  };
  await delay(calmMs);
  await attempt("begin", async () => {
    end = await day.begin(stage);
  });
  await delay(day.seconds[stage.isQuick ? "quick" : "full"] * 1000);
  await attempt("end", () => end());
  const gone = performance.now();
  const since = () => (performance.now() - gone) / 1000;
  while (!load.hasRecovered(gone) && since() * 1000 < longestRecoveryMs) await delay(20);
  const recoverySeconds = since();
  if (!load.hasRecovered(gone)) broken.push(`not every kind of request worked ${longestRecoveryMs / 1000} s later`);
  load.hasChanges = false;
  let { unsettled, broken: laws } = await judge(stage.cluster, load, open);
  while (unsettled.length > 0 && since() * 1000 < longestSettlingMs) {
    await delay(100);
    ({ unsettled, broken: laws } = await judge(stage.cluster, load, open));
  }
  const settledSeconds = since();
  load.stop();
  await running;
  const lastFailure = load.answers.findLast(({ at, outcome }) => at > gone && /^5|no answer/.test(outcome));
  // Answers that came late promise something, too.
  ({ unsettled, broken: laws } = await judge(stage.cluster, load, open));
  const failingSeconds = lastFailure ? (lastFailure.at - gone) / 1000 : 0;
  return {
    ...{ name, outcomes: countOutcomes(load.answers), recoverySeconds, failingSeconds, settledSeconds },
    broken: [...new Set([...broken, ...load.broken, ...laws, ...unsettled])],
  };
}

function countOutcomes(answers: readonly Answered[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of answers) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a));
}
