/** The embedded API server beside the real one, on the same machine, in the same run, by the same client. */
import { setTimeout as delay } from "node:timers/promises";
import type { Bench, BenchOptions } from "../bench.ts";
import { compare, type Figure, type Goal } from "../figure.ts";
import { runChild } from "../runtime/child.ts";
import { rounds } from "../runtime/rounds.ts";
import { type Contender, type Contestant, startEmbedded, startReal } from "./contenders.ts";
import type { FanOut } from "./fan-out.ts";
import { writers } from "./jobs.ts";
import type { Job } from "./work.ts";

const contestants = { embedded: startEmbedded, real: startReal };
const faster: Goal = { atLeast: 1 };
const less: Goal = { atMost: 1 };
/** What is garbage has time to go. */
const settleMs = 10_000;

export const bench: Bench = {
  about: `the embedded API server, and beside it kube-apiserver with etcd, each alone, in turn, from nothing, with durable writes. ConfigMaps of 1 KiB (of 100 bytes where they are watched), ${writers} writers, 4 readers, HTTP/1.1, the client in a process of its own`,
  async run(options) {
    const { quick, say } = options;
    const count = quick ? 1 : 3;
    say(`start, writes and lists, ${count} rounds`);
    const { embedded, real } = await rounds(count, {
      embedded: () => pass(startEmbedded, options),
      real: () => pass(startReal, options),
    });
    const figure = (name: string, unit: string, key: keyof typeof real, goal: Goal) =>
      compare({ name, unit, value: embedded[key], beside: real[key], goal });
    return [
      figure("start until ready, beside kube-apiserver and etcd", "ms", "startMs", { atMost: 0.33 }),
      figure("creates", "creates/s", "creates", faster),
      figure("merge patches", "patches/s", "patches", faster),
      figure("lists of 1,000 objects", "lists/s", "lists", faster),
      ...(await fanOutFigures(options)),
      ...(await memoryFigures(options)),
    ];
  },
};

async function pass(start: Contestant, { quick }: BenchOptions) {
  await using contender = await start();
  const written = await work<{ creates: number; patches: number }>(contender, {
    do: "create and patch",
    count: quick ? 2000 : 10_000,
  });
  const { lists } = await work<{ lists: number }>(contender, { do: "list", count: quick ? 100 : 500 });
  return { startMs: contender.startMs, ...written, lists };
}

async function fanOutFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const watchers of [1, 100, 1000]) {
    say(`${watchers} watchers`);
    const { embedded, real } = await rounds<keyof typeof contestants, keyof FanOut>(quick ? 1 : 3, {
      embedded: () => tell(startEmbedded, watchers),
      real: () => tell(startReal, watchers),
    });
    const told = watchers === 1 ? "1 watcher" : `${watchers.toLocaleString("en")} watchers`;
    figures.push(
      compare({
        name: `events told to ${told}`,
        unit: "events/s",
        value: embedded.eventsPerSecond,
        beside: real.eventsPerSecond,
        goal: faster,
      }),
      compare({
        name: `write to frame, p99 of ${told} at 10 writes/s`,
        unit: "ms",
        value: embedded.delayP99Ms,
        beside: real.delayP99Ms,
        goal: less,
      }),
    );
  }
  return figures;
}

async function tell(start: Contestant, watchers: number): Promise<Record<keyof FanOut, number>> {
  await using contender = await start();
  await work(contender, { do: "create and patch", count: 1000 });
  return await work<Record<keyof FanOut, number>>(contender, { do: "fan out", watchers });
}

async function memoryFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const sizes = quick ? [10_000] : [10_000, 50_000];
  const held: Record<keyof typeof contestants, number[]> = { embedded: [], real: [] };
  for (const name of ["embedded", "real"] as const) {
    await using contender = await contestants[name]();
    let objects = 0;
    for (const size of sizes) {
      say(`memory of the ${name} one with ${size} objects`);
      for (; objects < size; objects += 1000) {
        await work(contender, { do: "fill", namespace: `fill-${objects}`, count: 1000 });
      }
      await delay(settleMs);
      held[name].push(await contender.residentMiB());
    }
  }
  return sizes.map((size, index) =>
    compare({
      name: `resident memory with ${size.toLocaleString("en")} objects`,
      unit: "MiB",
      value: held.embedded[index] as number,
      beside: held.real[index] as number,
      goal: less,
    }),
  );
}

function work<Out>({ server }: Contender, job: Job): Promise<Out> {
  return runChild<Out>(new URL("./work.ts", import.meta.url), { server, job });
}
