/** How long a player waits, from the ChallengeInstance to the first byte; beside the engine alone. */
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure, median } from "../figure.ts";
import { pauseImageOf, startEnginePod } from "./engine-pods.ts";
import type { Place } from "./place.ts";
import { port } from "./web-image.ts";

const onTopMs = 300;
const patienceMs = 60_000;
const againMs = 5;

export interface Site {
  host: string;
  port: number;
  /** Whom to ask for there. */
  hostname: string;
}

export async function firstByteFigures(place: Place, { quick, say }: BenchOptions): Promise<Figure[]> {
  const count = quick ? 3 : 10;
  say(`${count} starts of an instance, and as many by the engine alone, in turn`);
  const warm = await place.create();
  await place.running(warm);
  const pauseImage = await pauseImageOf(place.machine.engine);
  const ours: number[] = [];
  const engines: number[] = [];
  for (let round = 0; round < count; round++) {
    ours.push(await startInstance(place));
    engines.push(await startByEngine(place, pauseImage));
    say(`instance ${ours.at(-1)?.toFixed(0)} ms, engine alone ${engines.at(-1)?.toFixed(0)} ms`);
  }
  await place.remove(warm);
  return [
    compare({
      name: `instance created to first byte, p50 of ${count}, beside the engine's own time and ${onTopMs} ms`,
      unit: "ms",
      value: median(ours),
      beside: median(engines) + onTopMs,
      goal: { atMost: 1 },
    }),
  ];
}

async function startInstance(place: Place): Promise<number> {
  const started = performance.now();
  const name = await place.create();
  const { hostname } = await place.addressOf(name);
  await untilAnswered({ host: "127.0.0.1", port: place.machine.httpPort, hostname });
  const took = performance.now() - started;
  await place.remove(name);
  return took;
}

async function startByEngine({ machine }: Place, pauseImage: string): Promise<number> {
  const started = performance.now();
  await using pod = await startEnginePod(machine.engine, pauseImage, 0);
  await untilAnswered({ host: pod.address, port, hostname: "web" });
  return performance.now() - started;
}

async function untilAnswered(site: Site): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while ((await statusOf(site)) !== 200) {
    if (performance.now() > deadline) throw new Error(`${site.hostname} does not answer`);
    await delay(againMs);
  }
}

/** 0 where nobody is there. */
function statusOf({ host, port, hostname }: Site): Promise<number> {
  return new Promise((resolve) => {
    const asked = request({ host, port, headers: { host: hostname }, agent: false, timeout: 2_000 });
    asked.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(0));
    asked.end();
  });
}
