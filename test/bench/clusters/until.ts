/** Waiting for many objects at once, and what to say when they do not come. */
import { setTimeout as delay } from "node:timers/promises";
import type { Condition, Stored } from "@berg/apimachinery";
import type { Cluster, KubeconfigRequest } from "@berg/resources";
import type { BenchOptions } from "../bench.ts";

const pollMs = 100;
const tellMs = 15_000;
const withinSeconds = 1800;

type Watched = Cluster | KubeconfigRequest;

interface Wanted<T extends Watched> {
  name: string;
  of: { list(): readonly Stored<T>[] };
  count: number;
  isDone(object: Stored<T>): boolean;
}

export const isReady = ({ status }: Cluster) => status?.phase === "Ready";
export const isIssued = ({ status }: KubeconfigRequest) => status?.phase === "Issued";

/** Resolves with the seconds that it took when there are that many of each kind, all of them done. */
export async function until(
  { say }: BenchOptions,
  ...all: (Wanted<Cluster> | Wanted<KubeconfigRequest>)[]
): Promise<number> {
  const started = performance.now();
  let toldAt = started;
  for (;;) {
    const far = all.map((wanted) => looked(wanted as Wanted<Watched>));
    const seconds = (performance.now() - started) / 1000;
    if (far.every(({ isDone }) => isDone)) return seconds;
    const text = far.map(({ text }) => text).join(", ");
    if (seconds > withinSeconds) {
      const left = far.flatMap(({ left }) => left.slice(0, 2)).map(describeOne);
      throw new Error(`only ${text} after ${withinSeconds} s, such as ${left.join("; ")}`);
    }
    if (performance.now() - toldAt > tellMs) {
      toldAt = performance.now();
      say(`${text} after ${Math.round(seconds)} s`);
    }
    await delay(pollMs);
  }
}

function looked({ name, of, count, isDone }: Wanted<Watched>) {
  const objects = of.list();
  const left = objects.filter((object) => !isDone(object));
  const done = objects.length - left.length;
  return { isDone: done >= count, left, text: `${done} of ${count} ${name}` };
}

function describeOne({ metadata, status }: Watched): string {
  const conditions = (status?.conditions ?? []) as Condition[];
  const unmet = conditions.filter((condition) => condition.status !== "True");
  const why = unmet.map(({ type, reason, message }) => `${type} ${reason}: ${message}`).join(", ");
  return `${metadata.name} ${status?.phase ?? "untouched"} (${why || "no condition unmet"})`;
}
