/** A busy evening: many at once, then a steady stream, and everybody's time running out meanwhile. */
import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { labels } from "@berg/resources";
import type { Bench, BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { type Cluster, startCluster } from "../instances/cluster.ts";
import { type ControllerProcess, startController } from "../instances/controller.ts";
import { requestsOf } from "../instances/idle.ts";
import type { Life } from "../instances/lives.ts";
import { atRate, inFlight } from "../instances/pace.ts";
import { type Recording, recordStart } from "../instances/recording.ts";
import { MachineWatch } from "../machine.ts";
import { leftovers } from "./leftovers.ts";
import { namespaceRate } from "./namespaces.ts";
import { spread, waveFigures } from "./wave.ts";

const burst = 100;
const perSecond = 10;
/** So that ends overlap with starts. */
const timeoutSeconds = { from: 60, to: 90 };
const quietMs = 5000;

export const bench: Bench = {
  about: `${burst} instances at once, then ${perSecond} a second, each of an owner of its own and for ${timeoutSeconds.from} to ${timeoutSeconds.to} s. Namespaces are measured beside ${burst} bare ones with the same objects, deleted at once before the load; kube-controller-manager has its usual 10 namespace workers, and 200 requests a second`,
  async run(options) {
    const { quick, say } = options;
    const recording = await recordElsewhere();
    await using cluster = await startCluster();
    say(`how fast ${burst} bare namespaces go`);
    const rate = await namespaceRate(cluster, recording, burst);
    say(`${rate.toFixed(1)} namespaces a second`);

    await using controller = await startController(cluster);
    await controller.settled(0);
    await delay(quietMs);
    const heapBefore = await controller.liveHeapMiB();
    const figures: Figure[] = [];
    const lives: Life[] = [];
    const wave = async (name: string, start: (one: () => Promise<unknown>) => Promise<void>) => {
      const own: Life[] = [];
      const machine = new MachineWatch();
      await start(() => startOne(cluster, own));
      say(`${name}: all are started; until then ${machine.ended()}`);
      await withProgress(own, options);
      for (const line of spread(own)) say(`${name}: ${line}`);
      figures.push(...waveFigures(name, own, rate));
      lives.push(...own);
    };
    await wave(`${burst} at once`, (one) => inFlight(burst, burst, one));
    const count = perSecond * (quick ? 30 : 300);
    await wave(`${perSecond}/s for ${count / perSecond} s`, (one) => atRate(perSecond, count, one));

    await delay(quietMs);
    return [...figures, ...(await restFigures(cluster, lives)), ...(await memoryFigures(heapBefore, controller))];
  },
};

/** What it leaves running is none of the load. */
async function recordElsewhere(): Promise<Recording> {
  await using cluster = await startCluster();
  return await recordStart(cluster);
}

/** Resolves when it is created. */
async function startOne(cluster: Cluster, lives: Life[]): Promise<void> {
  const ownerId = randomUUID();
  lives.push(cluster.lives.of(ownerId));
  const timeout = randomInt(timeoutSeconds.from, timeoutSeconds.to + 1);
  await cluster.instance(ownerId).timeout(`${timeout}s`).create();
}

/** Resolves when all instances are gone. */
async function withProgress(lives: Life[], { say }: BenchOptions): Promise<void> {
  const tell = setInterval(() => {
    const count = (what: keyof Life) => lives.filter((life) => life[what] !== undefined).length;
    say(`${lives.length} created, ${count("runningAt")} ran, ${count("podsGoneAt")} stopped, ${count("goneAt")} gone`);
  }, 30_000);
  try {
    await Promise.all(lives.map((life) => life.gone.promise));
  } finally {
    clearInterval(tell);
  }
}

/** Whose mark is still somewhere. */
async function restFigures(cluster: Cluster, lives: Life[]): Promise<Figure[]> {
  const left = await leftovers(cluster.client);
  const owners = new Set(left.map(({ metadata }) => metadata.labels?.[labels.ownerId] ?? metadata.name));
  return [
    compare({
      name: "of which nothing is left, beside created",
      unit: "instances",
      value: lives.length - owners.size,
      beside: lives.length,
      goal: { atLeast: 1 },
    }),
  ];
}

async function memoryFigures(heapBefore: number, controller: ControllerProcess): Promise<Figure[]> {
  const resident = await controller.residentMiB();
  const { memoryMiB } = await requestsOf();
  return [
    compare({
      name: "heap that cannot be freed at the end, beside before",
      unit: "MiB",
      value: await controller.liveHeapMiB(),
      beside: heapBefore,
      goal: { atMost: 2 },
    }),
    compare({
      name: "resident memory at the end, beside what deploy/ requests",
      unit: "MiB",
      value: resident,
      beside: memoryMiB,
      goal: { atMost: 1 },
    }),
  ];
}
