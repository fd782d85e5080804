/** How many instances a second come to run, beside a bare client that writes the same without looking. */
import { randomUUID } from "node:crypto";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { runChild } from "../runtime/child.ts";
import { rounds } from "../runtime/rounds.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { startController } from "./controller.ts";
import { inFlight } from "./pace.ts";
import type { Recording } from "./recording.ts";
import type { Replayed, ReplaySettings } from "./replay.ts";

const limit = 32;
const warmUp = 16;

export async function throughputFigures(recording: Recording, { quick, say }: BenchOptions): Promise<Figure[]> {
  const count = quick ? 96 : 400;
  const roundCount = quick ? 1 : 3;
  say(`${count} instances, ${limit} in flight, ${roundCount} rounds, each contender on a new control plane`);
  const { controller, bare, waiting } = await rounds(roundCount, {
    controller: () => withController(count),
    bare: () => withBareClient(recording, count, false),
    waiting: () => withBareClient(recording, count, true),
  });
  const measured = { unit: "instances/s", value: controller.perSecond, goal: { atLeast: 0.8 } };
  return [
    compare({
      ...measured,
      name: `to Running, ${limit} in flight, beside a bare client's replay`,
      beside: waiting.perSecond,
    }),
    compare({
      ...measured,
      name: `to Running, ${limit} in flight, beside a replay that waits for no pod`,
      beside: bare.perSecond,
    }),
  ];
}

async function withController(count: number): Promise<{ perSecond: number }> {
  await using cluster = await startCluster();
  await using _controller = await startController(cluster);
  await startInstances(cluster, warmUp);
  const started = performance.now();
  await startInstances(cluster, count);
  return { perSecond: (count * 1000) / (performance.now() - started) };
}

/** Resolves with the owners when all of them run. */
export async function startInstances(cluster: Cluster, count: number, oneMore = () => {}): Promise<string[]> {
  const ownerIds: string[] = [];
  await inFlight(count, limit, async () => {
    const ownerId = randomUUID();
    await cluster.instance(ownerId).create();
    await cluster.lives.of(ownerId).running.promise;
    ownerIds.push(ownerId);
    oneMore();
  });
  return ownerIds;
}

async function withBareClient(recording: Recording, count: number, waitsForPods: boolean) {
  await using cluster = await startCluster();
  const settings: ReplaySettings = {
    ...cluster.server,
    recording,
    warmUp,
    count,
    pace: { inFlight: limit },
    waitsForPods,
  };
  const { seconds, ownerIds } = await runChild<Replayed>(new URL("./replay.ts", import.meta.url), settings);
  // What it wrote is what a controller would have written only if it comes to the same.
  await Promise.all(ownerIds.map((ownerId) => cluster.lives.of(ownerId).running.promise));
  return { perSecond: count / seconds };
}
