/** How long the controller keeps a player waiting, while instances are asked for at a steady pace. */
import { randomUUID } from "node:crypto";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { MachineWatch } from "../machine.ts";
import { runChild } from "../runtime/child.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { now } from "./lives.ts";
import { atRate, quantile } from "./pace.ts";
import type { Recording } from "./recording.ts";
import type { Replayed, ReplaySettings } from "./replay.ts";
import { slowest, type Wait } from "./slowest.ts";

/** What a large event asks for. The servers of a whole cluster may have no processor left at it, where they share two. */
export const fullPace = 10;
export const halfPace = fullPace / 2;

export interface Pace {
  count: number;
  perSecond: number;
}

export interface Delays {
  /** Of each instance, in ms. */
  toDeployment: number[];
  figures: Figure[];
}

/** Leaves its instances running. */
export async function delayFigures(
  cluster: Cluster,
  { count, perSecond }: Pace,
  { say }: BenchOptions,
): Promise<Delays> {
  say(`${count} instances, ${perSecond} a second: delays between frames of the bench's own watches`);
  const waits: Wait[] = [];
  const machine = new MachineWatch();
  const started = now();
  await atRate(perSecond, count, async () => {
    const ownerId = randomUUID();
    const life = cluster.lives.of(ownerId);
    const askedAt = now();
    await cluster.instance(ownerId).create();
    const answeredAt = now();
    await Promise.all([life.running.promise, life.podsReady.promise]);
    const { createdAt = 0, deployedAt = 0, podsReadyAt = 0, runningAt = 0 } = life;
    waits.push({
      secondsIn: (askedAt - started) / 1000,
      toAnswer: answeredAt - askedAt,
      toDeployment: deployedAt - createdAt,
      toRunning: runningAt - podsReadyAt,
    });
  });
  say(`at ${perSecond} a second ${machine.ended()}`);
  for (const line of slowest(waits)) say(line);
  const toDeployment = waits.map((wait) => wait.toDeployment);
  const toRunning = waits.map((wait) => wait.toRunning);
  return {
    toDeployment,
    figures: [
      ...within("last pod Ready to Running", toRunning, { limitMs: 100, perSecond }),
      ...within("instance created to Deployment created", toDeployment, { limitMs: 250, perSecond }),
    ],
  };
}

export function besideBare(toDeployment: number[], bareDelays: number[], perSecond: number): Figure {
  return compare({
    name: `instance created to Deployment created, p99 at ${perSecond}/s, beside a bare client's replay`,
    unit: "ms",
    value: quantile(toDeployment, 0.99),
    beside: quantile(bareDelays, 0.99),
    // As much time as the throughput beside the same client allows.
    goal: { atMost: 1.25 },
  });
}

/** From the instance to its Deployment, for a client that only writes: what this machine takes for it at this pace. */
export async function bareDelays(recording: Recording, asked: Pace, { say }: BenchOptions): Promise<number[]> {
  const { count, perSecond } = asked;
  say(`${count} instances, ${perSecond} a second, by the bare client`);
  await using cluster = await startCluster();
  const pace = { perSecond };
  const settings: ReplaySettings = { ...cluster.server, recording, warmUp: 16, count, pace, waitsForPods: true };
  const { ownerIds } = await runChild<Replayed>(new URL("./replay.ts", import.meta.url), settings);
  const lives = ownerIds.map((ownerId) => cluster.lives.of(ownerId));
  await Promise.all(lives.map((life) => life.running.promise));
  return lives.map(({ createdAt = 0, deployedAt = 0 }) => deployedAt - createdAt);
}

type Limit = { limitMs: number; perSecond: number };

function within(name: string, delays: number[], { limitMs, perSecond }: Limit): Figure[] {
  return [0.5, 0.99].map((share) =>
    compare({
      name: `${name}, p${share * 100} at ${perSecond}/s, beside the limit`,
      unit: "ms",
      // Two watches bring their frames in any order: an effect may be here before its cause.
      value: Math.max(0.1, quantile(delays, share)),
      beside: limitMs,
      goal: { atMost: 1 },
    }),
  );
}
