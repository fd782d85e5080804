/** Many instances at the same moment: how long until the last one runs, beside the engine alone; and what they weigh. */
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { inFlight } from "../instances/pace.ts";
import { residentMiB } from "../process.ts";
import { pauseImageOf, startEnginePod } from "./engine-pods.ts";
import type { Place } from "./place.ts";

/** Enough to keep the engine busy. */
const engineAtOnce = 8;
const memoryMiB = 512;

export async function manyFigures(place: Place, { quick, say }: BenchOptions): Promise<Figure[]> {
  const count = quick ? 8 : 50;
  say(`${count} instances at once`);
  const started = performance.now();
  const names = await Promise.all(Array.from({ length: count }, () => place.create()));
  await Promise.all(names.map((name) => place.running(name)));
  const seconds = (performance.now() - started) / 1000;
  const memory = await residentMiB(place.pid);
  const pauseImage = await pauseImageOf(place.machine.engine);
  await place.remove(...names);
  say(`as many by the engine alone, ${engineAtOnce} at once`);
  const engineSeconds = await startByEngine(place, pauseImage, count);
  return [
    compare({
      name: `${count} instances at once, all Running, beside the engine's own time`,
      unit: "s",
      value: seconds,
      beside: engineSeconds,
      goal: { atMost: 2 },
    }),
    compare({
      name: `resident memory of berg up with ${count} instances, beside the limit`,
      unit: "MiB",
      value: memory,
      beside: memoryMiB,
      goal: { atMost: 1 },
    }),
  ];
}

async function startByEngine({ machine }: Place, pauseImage: string, count: number): Promise<number> {
  await using undo = new AsyncDisposableStack();
  let next = 0;
  const started = performance.now();
  await inFlight(count, engineAtOnce, async () => {
    undo.use(await startEnginePod(machine.engine, pauseImage, next++));
  });
  return (performance.now() - started) / 1000;
}
