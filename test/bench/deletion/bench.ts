/** Many instances are deleted at once while none starts or stops: how long until they are gone, and what memory stays. */
import { Namespaces } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import type { Bench, BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { type Cluster, namespace, startCluster } from "../instances/cluster.ts";
import { type ControllerProcess, startController } from "../instances/controller.ts";
import { type Life, now } from "../instances/lives.ts";
import { quantile } from "../instances/pace.ts";
import { part, type Recording, recordStart } from "../instances/recording.ts";
import type { Replayed, ReplaySettings } from "../instances/replay.ts";
import { startInstances } from "../instances/throughput.ts";
import { runChild } from "../runtime/child.ts";
import { rounds } from "../runtime/rounds.ts";

const count = 50;
const concurrentRequests = 32;
/** For so long kube-controller-manager leaves a deleted namespace alone. */
const namespaceGraceSeconds = 5;

export const bench: Bench = {
  about: `${count} running instances are deleted at once. The bare namespaces hold the same objects, pods included, and are deleted by a bare client on the same control plane while the controller is stopped; kube-controller-manager has its default of 10 namespace workers`,
  async run(options) {
    await using cluster = await startCluster();
    const recording = await recordStart(cluster);
    return [...(await deletionFigures(cluster, recording, options)), ...(await memoryFigures(cluster, options))];
  },
};

async function deletionFigures(cluster: Cluster, recording: Recording, options: BenchOptions): Promise<Figure[]> {
  const { bare, instances } = await rounds(options.quick ? 1 : 3, {
    bare: () => deleteBareNamespaces(cluster, recording, options),
    instances: async () => {
      await using controller = await startController(cluster);
      await controller.settled(0);
      return await burst(cluster, options);
    },
  });
  return [
    compare({
      name: `${count} instances deleted at once until the last is gone, beside as many bare namespaces`,
      unit: "s",
      value: instances.seconds,
      beside: bare.seconds,
      goal: { atMost: 1.1 },
    }),
    compare({
      name: `${count} instances deleted at once: last pod gone to last namespace deleted, beside Kubernetes' own delay`,
      unit: "s",
      value: instances.waitSeconds,
      beside: namespaceGraceSeconds,
      goal: { atMost: 0.2 },
    }),
  ];
}

interface Deletion {
  /** Until the last is gone. */
  seconds: number;
  /** From the moment in which the last pod is gone until the deletion of the last namespace is requested. */
  waitSeconds: number;
}

/** Creates the namespaces with everything an instance has in them, and deletes them. */
async function deleteBareNamespaces(cluster: Cluster, recording: Recording, options: BenchOptions): Promise<Deletion> {
  const isInNamespace = (path: string) => path.includes(recording.ownerId) && !path.includes("challengeinstances");
  const settings: ReplaySettings = {
    ...cluster.server,
    recording: part(recording, ({ path, resource }) => resource === "namespaces" || isInNamespace(path)),
    warmUp: 0,
    count,
    pace: { inFlight: concurrentRequests },
    waitsForPods: false,
  };
  const { ownerIds } = await runChild<Replayed>(new URL("../instances/replay.ts", import.meta.url), settings);
  const lives = ownerIds.map((ownerId) => cluster.lives.of(ownerId));
  await Promise.all(lives.map((life) => life.podsReady.promise));
  return await measure("bare namespaces", ownerIds, lives, options, async (ownerId) => {
    await cluster.client.delete(Namespaces, "", `challenge-${ownerId}`);
    await cluster.lives.of(ownerId).namespaceGone.promise;
  });
}

/** Starts as many instances, and deletes them when all run. */
async function burst(cluster: Cluster, options: BenchOptions): Promise<Deletion> {
  const ownerIds = await startInstances(cluster, count);
  const lives = ownerIds.map((ownerId) => cluster.lives.of(ownerId));
  return await measure("instances", ownerIds, lives, options, async (ownerId) => {
    await cluster.client.delete(ChallengeInstances, namespace, `owner-${ownerId}`);
    await cluster.lives.of(ownerId).gone.promise;
  });
}

async function measure(
  what: string,
  ownerIds: string[],
  lives: Life[],
  { say }: BenchOptions,
  remove: (ownerId: string) => Promise<void>,
): Promise<Deletion> {
  const started = now();
  await Promise.all(ownerIds.map(remove));
  const seconds = (now() - started) / 1000;
  for (const step of ["podsGoneAt", "namespaceDeletedAt", "namespaceGoneAt"] as const) {
    const delays = lives.map((life) => ((life[step] ?? Number.NaN) - started) / 1000);
    const [first, half, most, last] = [0, 0.5, 0.95, 1].map((share) => quantile(delays, share).toFixed(1));
    say(`${what}: ${step} first ${first}, p50 ${half}, p95 ${most}, last ${last} s`);
  }
  const last = (step: "podsGoneAt" | "namespaceDeletedAt") =>
    Math.max(...lives.map((life) => life[step] ?? Number.NaN));
  // Frames of two watches arrive in any order.
  const waitSeconds = Math.max(0.001, (last("namespaceDeletedAt") - last("podsGoneAt")) / 1000);
  return { seconds, waitSeconds };
}

/**
 * Bursts on one controller. Live heap is what is left after a full collection. Some growth is expected: the event
 * correlator remembers the last 4096 groups of events, which 1,400 instances fill.
 */
async function memoryFigures(cluster: Cluster, options: BenchOptions): Promise<Figure[]> {
  await using controller: ControllerProcess = await startController(cluster);
  await controller.settled(0);
  await burst(cluster, options);
  const before = await controller.liveHeapMiB();
  const bursts = options.quick ? 2 : 16;
  for (let n = 1; n <= bursts; n++) {
    await burst(cluster, options);
    const [live, resident] = [await controller.liveHeapMiB(), await controller.residentMiB()];
    options.say(`after burst ${n}: ${live.toFixed(1)} MiB live, ${resident.toFixed(0)} MiB resident`);
  }
  return [
    compare({
      name: `live heap after ${bursts} bursts of ${count}, beside after the first`,
      unit: "MiB",
      value: await controller.liveHeapMiB(),
      beside: before,
      goal: { atMost: 1.25 },
    }),
  ];
}
