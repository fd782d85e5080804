/** One writes, many watch: how late the last of them hears of it, and how much can be told in a second. */
import { atRate, inFlight, quantile } from "../instances/pace.ts";
import type { Caller } from "./caller.ts";
import { configMaps, makeNamespace, newConfigMap, perSecond } from "./jobs.ts";

const writesPerSecond = 10;
const pacedWrites = 50;
/** Flat out, all watchers together are told about so many events. */
const toldInAll = 100_000;
const fewestWrites = 100;
const mostWrites = 2000;
const writersFlatOut = 8;

export interface FanOut {
  eventsPerSecond: number;
  /** From before the write to after the frame, at a steady pace. */
  delayP99Ms: number;
}

export async function fanOut(caller: Caller, namespace: string, watchers: number): Promise<FanOut> {
  await makeNamespace(caller, namespace);
  const delays: number[] = [];
  let heard = 0;
  let awaited = { count: 0, resolve: () => {} };
  const onLine = (line: string) => {
    const at = /"at":"([\d.]+)"/.exec(line)?.[1];
    if (at === undefined) return;
    delays.push(performance.now() - Number(at));
    heard++;
    if (heard === awaited.count) awaited.resolve();
  };
  const untilHeard = (count: number) =>
    new Promise<void>((resolve) => {
      awaited = { count, resolve };
      if (heard === count) resolve();
    });
  for (let opened = 0; opened < watchers; opened++) {
    await caller.watch(`${configMaps(namespace)}?watch=true&resourceVersion=0&timeoutSeconds=600`, onLine);
  }
  let next = 0;
  const write = () => {
    const body = newConfigMap(`told-${next++}`, { at: `${performance.now()}` });
    return caller.call({ method: "POST", path: configMaps(namespace), body });
  };

  await Promise.all([atRate(writesPerSecond, pacedWrites, write), untilHeard(pacedWrites * watchers)]);
  const delayP99Ms = quantile(delays, 0.99);

  const writes = Math.min(mostWrites, Math.max(fewestWrites, toldInAll / watchers));
  const eventsPerSecond = await perSecond(writes * watchers, async () => {
    await Promise.all([inFlight(writes, writersFlatOut, write), untilHeard((pacedWrites + writes) * watchers)]);
  });
  return { eventsPerSecond, delayP99Ms };
}
