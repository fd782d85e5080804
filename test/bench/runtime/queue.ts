/** Keys a second through the work queue, with one worker. */
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { runChild } from "./child.ts";
import { rounds } from "./rounds.ts";

export async function queueFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const settings = { cycles: quick ? 200_000 : 2_000_000 };
  const count = quick ? 1 : 5;
  say(`${settings.cycles} keys through the queue, ${count} rounds`);
  const contender = (file: URL) => () => runChild<{ perSecond: number }>(file, settings);
  const { queue, map } = await rounds(count, {
    queue: contender(new URL("./contenders/work-queue-cycles.ts", import.meta.url)),
    map: contender(new URL("./contenders/map-cycles.ts", import.meta.url)),
  });
  return [
    compare({
      name: "work queue (add, get, done), beside a bare Map (set, get, delete)",
      unit: "keys/s",
      value: queue.perSecond,
      beside: map.perSecond,
      // Order, priorities and times of each key cost something; at a twentieth a reconcile would still not notice.
      goal: { atLeast: 0.05 },
    }),
  ];
}
