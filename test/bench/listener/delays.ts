/** From the change of a pod, as a watch of the bench's own brings it, until the record of its instance knows. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  addListener,
  ClusterRecords,
  openDatabaseRecords,
  type RuntimeRecords,
  readListenerSettings,
} from "@berg/healing";
import {
  createClient,
  createMetrics,
  Informer,
  Manager,
  OwnWrites,
  Pods,
  silentLogger,
  systemClock,
  unlimited,
} from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { atRate, quantile } from "../instances/pace.ts";
import { type Crowd, container } from "./crowd.ts";

const perSecond = 50;
/** Nobody looks at a record sooner. */
const limitMs = 100;
const pollMs = 50;

type Place = "SQLite" | "the cluster";

export async function delayFigures(crowd: Crowd, options: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const place of ["SQLite", "the cluster"] as const) {
    const delays = await measure(crowd, place, options);
    figures.push(
      compare({
        name: `pod change to record in ${place}, p99 at ${perSecond}/s with ${crowd.pods.length} pods, beside the limit`,
        unit: "ms",
        value: quantile(delays, 0.99),
        beside: limitMs,
        goal: { atMost: 1 },
      }),
    );
  }
  return figures;
}

async function measure(crowd: Crowd, place: Place, { quick, say }: BenchOptions): Promise<number[]> {
  await using stack = new AsyncDisposableStack();
  const client = createClient({ connection: crowd.connection, component: "listener", rate: unlimited });
  stack.defer(() => client.close());
  const metrics = await createMetrics();
  const manager = new Manager({ component: "listener", client, log: silentLogger, metrics });
  const records = stack.use(await recordsIn(place, manager, stack));
  const noted = new Map<string, PromiseWithResolvers<number>>();
  const noting: RuntimeRecords = {
    live: (...asked) => records.live(...asked),
    stop: (...asked) => records.stop(...asked),
    get: (...asked) => records.get(...asked),
    open: (...asked) => records.open(...asked),
    async pod(uid, container, seen, signal) {
      await records.pod(uid, container, seen, signal);
      noted.get(`${seen.uid}/${seen.restarts}`)?.resolve(performance.now());
    },
    [Symbol.asyncDispose]: async () => {},
  };
  addListener(manager, { settings: readListenerSettings({}), records: noting, metrics });
  const stop = new AbortController();
  const seenAt = new Map<string, number>();
  const watched = new Informer({ client: crowd.client, type: Pods });
  watched.onChange(({ object: { metadata, status } }) => {
    const restarts = status?.containerStatuses?.[0]?.restartCount ?? 0;
    seenAt.set(`${metadata.uid}/${restarts}`, performance.now());
  });
  const ended = [manager.run(stop.signal), watched.run(stop.signal)];
  stack.defer(async () => {
    stop.abort();
    await Promise.all(ended);
  });
  await watched.synced();
  const count = quick ? 100 : 1500;
  say(`records in ${place}: waiting until all are open`);
  while ((await records.open()).filter(({ pods }) => pods[container]).length < crowd.pods.length)
    await new Promise((resolve) => setTimeout(resolve, pollMs));

  say(`records in ${place}: ${count} changes, ${perSecond} a second`);
  const restarts = place === "SQLite" ? 1 : 2;
  const delays: number[] = [];
  let next = 0;
  await atRate(perSecond, count, async () => {
    const { metadata } = crowd.pods[next++ % crowd.pods.length] as Crowd["pods"][number];
    const round = restarts + 2 * Math.floor((next - 1) / crowd.pods.length);
    const key = `${metadata.uid}/${round}`;
    const known = Promise.withResolvers<number>();
    noted.set(key, known);
    const state = { running: { startedAt: metadata.creationTimestamp } };
    const one = { name: container, image: "web", imageID: "web", ready: true, restartCount: round, state };
    await crowd.client.patch(
      Pods,
      metadata.namespace ?? "",
      metadata.name,
      { type: "merge", body: { status: { phase: "Running", containerStatuses: [one] } } },
      { subresource: "status" },
    );
    const at = await known.promise;
    delays.push(Math.max(0.1, at - (seenAt.get(key) ?? at)));
  });
  return delays;
}

async function recordsIn(place: Place, manager: Manager, stack: AsyncDisposableStack): Promise<RuntimeRecords> {
  if (place === "the cluster") {
    const instances = new OwnWrites(manager.informer(ChallengeInstances), systemClock);
    return new ClusterRecords({ client: manager.client, instances });
  }
  const directory = await mkdtemp(join(tmpdir(), "berg-bench-"));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  return openDatabaseRecords({ database: join(directory, "records.db") });
}
