/** A wave of players: how their instances started, and what was left when their time was up. */

import { compare, type Figure } from "../figure.ts";
import type { Life } from "../instances/lives.ts";

/** For how long after its time a workload may run. */
const stopMs = 2000;

/** `namespacesPerSecond`: what the cluster's own namespace controller manages. */
export function waveFigures(name: string, lives: readonly Life[], namespacesPerSecond: number): Figure[] {
  const expiries = lives.map(({ expiresAt = Number.NaN }) => expiresAt);
  const slowest = (what: "deploymentGoneAt" | "podsGoneAt" | "namespaceGoneAt") =>
    Math.max(...lives.map((life, index) => (life[what] ?? Number.NaN) - (expiries[index] as number)));
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
      value: slowest("deploymentGoneAt"),
      beside: stopMs,
      goal: limit,
    }),
    compare({
      name: `${name}: slowest pod gone after its time, beside the limit`,
      unit: "ms",
      value: slowest("podsGoneAt"),
      beside: stopMs,
      goal: limit,
    }),
    compare({
      name: `${name}: slowest namespace gone after its time, beside as many bare ones`,
      unit: "s",
      value: slowest("namespaceGoneAt") / 1000,
      beside: lives.length / namespacesPerSecond,
      goal: { atMost: 1.5 },
    }),
  ];
}
