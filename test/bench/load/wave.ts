/** A wave of players: how their instances started, and what was left when their time was up. */

import { compare, type Figure } from "../figure.ts";
import type { Life } from "../instances/lives.ts";
import { quantile } from "../instances/pace.ts";

/** For how long after its time a workload may run. */
export const stopMs = 2000;

type Moment = keyof Life & `${string}At`;

/** Of all of them, in ms after their own time was up; NaN where one never came to it. */
export function slowest(lives: readonly Life[], what: Moment): number {
  return Math.max(...lives.map((life) => (life[what] ?? Number.NaN) - (life.expiresAt ?? Number.NaN)));
}

/** `namespacesPerSecond`: what the cluster's own namespace controller manages. */
export function waveFigures(name: string, lives: readonly Life[], namespacesPerSecond: number): Figure[] {
  const isWhole = ({ runningAt, terminationReason, namespaceGoneAt }: Life) =>
    runningAt !== undefined && terminationReason === "Timeout" && namespaceGoneAt !== undefined;
  const limit = { atMost: 1 };
  return [
    compare({
      name: `${name}: ran, and ended by their time, beside created`,
      unit: "instances",
      value: lives.filter(isWhole).length,
      beside: lives.length,
      goal: { atLeast: 1 },
    }),
    compare({
      name: `${name}: slowest Deployment deleted after its time, beside the limit`,
      unit: "ms",
      value: slowest(lives, "deploymentGoneAt"),
      beside: stopMs,
      goal: limit,
    }),
    compare({
      name: `${name}: slowest pod gone after its time, beside the limit`,
      unit: "ms",
      value: slowest(lives, "podsGoneAt"),
      beside: stopMs,
      goal: limit,
    }),
    compare({
      name: `${name}: slowest namespace gone after its time, beside as many bare ones`,
      unit: "s",
      value: slowest(lives, "namespaceGoneAt") / 1000,
      beside: lives.length / namespacesPerSecond,
      goal: { atMost: 1.5 },
    }),
  ];
}

/** Whether the slowest is one of many, or alone; and who paid for it. */
export function spread(lives: readonly Life[]): string[] {
  const line = (what: string, from: Moment, to: Moment) => {
    const delays = lives.map((life) => (life[to] ?? Number.NaN) - (life[from] ?? Number.NaN));
    const [half, most, slowest] = [0.5, 0.99, 1].map((share) => quantile(delays, share).toFixed(0));
    return `${what}: p50 ${half}, p99 ${most}, slowest ${slowest} ms`;
  };
  return [
    line("created to Running", "createdAt", "runningAt"),
    line("time up to its end's being decided", "expiresAt", "endingAt"),
    line("time up to Deployment deleted", "expiresAt", "deploymentGoneAt"),
    line("time up to pods gone", "expiresAt", "podsGoneAt"),
  ];
}
