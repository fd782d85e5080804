/** Streams on which nothing happens: what each costs, how many there can be, and what becomes of those beyond. */
import { setTimeout as delay } from "node:timers/promises";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { residentMiB } from "../process.ts";
import { runChild, startChild } from "../runtime/child.ts";
import type { CallSettings } from "./calls.ts";
import type { Contender, Site, Start } from "./contender.ts";
import { descriptorsToHave } from "./descriptors.ts";
import type { Held, HoldSettings } from "./hold.ts";

/** What is garbage has time to go. */
const settleMs = 2_000;
/** It has two in each proxy; the rest is for connections that wait, and for those that prove themselves. */
const descriptorsForStream = 2.5;
const beyond = 100;

/** KiB of all its processes for each stream, from a fresh start. */
export async function memoryOfStream(start: Start, count: number): Promise<number> {
  await using contender = await start();
  await visit(contender.site);
  await delay(settleMs);
  const before = await resident(contender);
  await using holder = await hold(contender.site, count);
  const { open } = holder.report;
  if (open < count) throw new Error(`only ${open} of ${count} streams could be opened`);
  await delay(settleMs);
  // A small run may find room in what was there before.
  return Math.max(0.1, (((await resident(contender)) - before) * 1024) / count);
}

/** `count`: how many there should be room for, where the machine gives descriptors for them. */
export async function limitFigures(
  start: (descriptors: number) => Promise<Contender>,
  count: number,
  { say }: BenchOptions,
): Promise<Figure[]> {
  const wanted = count * descriptorsForStream;
  const descriptors = await descriptorsToHave(wanted);
  if (descriptors < wanted) say(`only ${descriptors} of ${wanted} descriptors can be had here: raise ulimit -Hn`);
  const asked = Math.ceil(descriptors / 2) + beyond;
  say(`${asked} streams through proxies with ${descriptors} descriptors each`);
  await using contender = await start(descriptors);
  const { open, refused, hanging } = await holdForAMoment(contender.site, asked);
  say(`${open} are open, ${refused} were refused, ${hanging} hang`);
  // Throws where nobody answers any more.
  await visit(contender.site);
  return [
    compare({
      name: `idle streams at once, with ${descriptors} descriptors a proxy`,
      unit: "streams",
      value: open,
      beside: count,
      goal: { atLeast: 1 },
    }),
    compare({
      name: "streams beyond its descriptors that are refused at once, beside all beyond",
      unit: "streams",
      value: refused,
      beside: asked - open,
      goal: { atLeast: 1 },
    }),
  ];
}

function hold(site: Site, count: number) {
  const settings: HoldSettings = { ...site, count };
  return startChild<Held>(new URL("./hold.ts", import.meta.url), settings);
}

async function holdForAMoment(site: Site, count: number): Promise<Held> {
  await using holder = await hold(site, count);
  return holder.report;
}

async function visit(site: Site): Promise<void> {
  const settings: CallSettings = { ...site, users: 1, connection: "new", warmUpMs: 0, measureMs: 500 };
  await runChild(new URL("./calls.ts", import.meta.url), settings);
}

async function resident({ pids }: Contender): Promise<number> {
  const parts = await Promise.all(pids.map((pid) => residentMiB(pid)));
  return parts.reduce((sum, part) => sum + part, 0);
}
