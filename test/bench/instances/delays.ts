/** How long the controller keeps a player waiting, while instances are asked for at a steady pace. */
import { randomUUID } from "node:crypto";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import type { Cluster } from "./cluster.ts";
import type { Life } from "./lives.ts";
import { atRate, quantile } from "./pace.ts";

const perSecond = 10;

/** Leaves its instances running. */
export async function delayFigures(cluster: Cluster, count: number, { say }: BenchOptions): Promise<Figure[]> {
  say(`${count} instances, ${perSecond} a second: delays between frames of the bench's own watches`);
  const lives: Life[] = [];
  await atRate(perSecond, count, async () => {
    const ownerId = randomUUID();
    const life = cluster.lives.of(ownerId);
    lives.push(life);
    await cluster.instance(ownerId).create();
    await Promise.all([life.running.promise, life.podsReady.promise]);
  });
  const toDeployment = lives.map(({ createdAt = 0, deployedAt = 0 }) => deployedAt - createdAt);
  const toRunning = lives.map(({ podsReadyAt = 0, runningAt = 0 }) => runningAt - podsReadyAt);
  return [
    ...within("last pod Ready to Running", toRunning, 100),
    ...within("instance created to Deployment created", toDeployment, 250),
  ];
}

function within(name: string, delays: number[], limitMs: number): Figure[] {
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
