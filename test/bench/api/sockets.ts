/** Many open pages: what each costs the API in memory, and how soon the owner sees a change of the own instance. */
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { runChild, startChild } from "../runtime/child.ts";
import { challengeName, namespace, type Site, startSite } from "./site.ts";
import type { CrowdSettings } from "./socket-crowd.ts";
import type { StartLoadSettings } from "./start-load.ts";

const crowdFile = new URL("./socket-crowd.ts", import.meta.url);
const changesPerSecond = 200;
/** Limits of the goals. */
const mostKilobytes = 15;
const longestDelayMs = 100;

export async function socketFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const sockets = quick ? 1000 : 5000;
  const [ownerCount, changes] = quick ? [600, 600] : [2000, 6000];
  say(`${sockets} WebSockets, then ${changes} changes of status at ${changesPerSecond}/s`);
  await using site = await startSite(sockets);
  const { target, publicUrl, server, accounts } = site;
  const owners = accounts.slice(0, ownerCount);
  const starts: StartLoadSettings = {
    target,
    publicUrl,
    server,
    namespace,
    accounts: owners,
    challengeName,
    inParallel: 32,
  };
  await runChild(new URL("./start-load.ts", import.meta.url), starts);
  const crowd: CrowdSettings = {
    target,
    publicUrl,
    server,
    namespace,
    accounts,
    ownerCount,
    changesPerSecond,
    changes,
  };
  // Code and caches that the first sockets bring along are no part of what each costs.
  await runChild(crowdFile, { ...crowd, accounts: accounts.slice(0, 500) });
  const before = await memory(site);
  await using open = await startChild<{ open: number }, { delayP99Ms: number }>(crowdFile, crowd);
  if (open.report.open !== sockets) throw new Error(`only ${open.report.open} sockets are open`);
  const after = await memory(site);
  const { delayP99Ms } = await open.next();
  const each = (key: keyof typeof after) => ((after[key] - before[key]) * 1024) / sockets;
  const count = sockets.toLocaleString("en");
  return [
    compare({
      name: `live heap of each of ${count} WebSockets, beside the limit`,
      unit: "kB",
      value: each("heap"),
      beside: mostKilobytes,
      goal: { atMost: 1 },
    }),
    compare({
      name: `resident memory of each of ${count} WebSockets, beside the limit`,
      unit: "kB",
      value: each("resident"),
      beside: mostKilobytes,
      goal: { atMost: 1 },
    }),
    compare({
      name: `change of status to message of the owner, p99 at ${changesPerSecond}/s, beside the limit`,
      unit: "ms",
      value: delayP99Ms,
      beside: longestDelayMs,
      goal: { atMost: 1 },
    }),
  ];
}

async function memory(site: Site): Promise<{ heap: number; resident: number }> {
  const heap = await site.liveHeapMiB();
  return { heap, resident: await site.residentMiB() };
}
