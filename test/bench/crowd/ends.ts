/** Ends at a steady pace, and many in one second, while all others go on. */
import { setTimeout as delay } from "node:timers/promises";
import { ChallengeInstances } from "@berg/resources";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { type Cluster, namespace } from "../instances/cluster.ts";
import { type Life, now } from "../instances/lives.ts";
import { inFlight } from "../instances/pace.ts";
import { slowest, stopMs } from "../load/wave.ts";

export interface Ends {
  perSecond: number;
  seconds: number;
  atOnce: number;
}

/** So long that all of them know of their end before the first has come. */
const noticeMs = 15_000;
const askedAtOnce = 32;
const quietMs = 5000;

/** How late an end may begin. */
const beginMs = 1000;

/** Ends as many of these instances as `ends` says, those that were started last. Resolves when they are gone. */
export async function endFigures(
  cluster: Cluster,
  ownerIds: readonly string[],
  { perSecond, seconds, atOnce }: Ends,
  { say }: BenchOptions,
): Promise<Figure[]> {
  const left = [...ownerIds];
  const wave = async (name: string, endsAt: (place: number) => number, count: number) => {
    await delay(quietMs);
    say(`${name} of ${left.length} running`);
    const ending = left.splice(-count);
    const from = Math.ceil((now() + noticeMs) / 1000) * 1000;
    let place = 0;
    await inFlight(count, askedAtOnce, async () => {
      const at = place++;
      const until = new Date(from + endsAt(at)).toISOString();
      const body = { spec: { until } };
      await cluster.client.patch(ChallengeInstances, namespace, `owner-${ending[at]}`, { type: "merge", body });
    });
    const lives = ending.map((ownerId) => cluster.lives.of(ownerId));
    await Promise.all(lives.map((life) => life.gone.promise));
    return endedFigures(name, lives);
  };
  return [
    ...(await wave(
      `${perSecond} ends a second for ${seconds} s`,
      (place) => Math.floor(place / perSecond) * 1000,
      perSecond * seconds,
    )),
    ...(await wave(`${atOnce} ends in one second`, () => 0, atOnce)),
  ];
}

export function endedFigures(name: string, lives: readonly Life[]): Figure[] {
  const unit = "ms";
  const goal = { atMost: 1 };
  return [
    compare({
      name: `${name}: begun after their time, beside the limit`,
      unit,
      value: slowest(lives, "endingAt"),
      beside: beginMs,
      goal,
    }),
    compare({
      name: `${name}: Deployment deleted after their time, beside the limit`,
      unit,
      value: slowest(lives, "deploymentGoneAt"),
      beside: stopMs,
      goal,
    }),
  ];
}
