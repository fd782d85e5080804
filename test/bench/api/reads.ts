/** p99 of each read, beside a bare Fastify route that returns the same JSON, under the same load in the same moment. */
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure, median } from "../figure.ts";
import { runChild, startChild } from "../runtime/child.ts";
import type { BareRoutesSettings } from "./bare-routes.ts";
import type { Target } from "./connection.ts";
import type { ReadLoadSettings, ReadTimes } from "./read-load.ts";
import { challengeName, startSite } from "./site.ts";

/** What the first view of the pages asks for. */
const reads = {
  metadata: "/api/metadata",
  challenges: "/api/challenges",
  "one challenge": `/api/challenges/${challengeName}`,
  players: "/api/players",
  "players/current": "/api/players/current",
  "instances/current": "/api/instances/current",
  pages: "/api/pages",
  "index page": "/",
};

export const readers = 16;
const accountCount = 300;

export async function readFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const settings = quick ? { rounds: 5, requests: 800 } : { rounds: 15, requests: 3000 };
  say(`${settings.rounds} rounds of ${settings.requests} requests to each read, ${readers} connections`);
  await using site = await startSite(accountCount);
  const headers = { cookie: site.accounts[0]?.cookie ?? "" };
  const paths = Object.values(reads);
  const bareSettings: BareRoutesSettings = { target: site.target, headers, paths };
  await using bare = await startChild<Target>(new URL("./bare-routes.ts", import.meta.url), bareSettings);
  const load: ReadLoadSettings = {
    ...settings,
    api: site.target,
    bare: bare.report,
    headers,
    paths,
    connections: readers,
  };
  const times = await runChild<Record<string, ReadTimes>>(new URL("./read-load.ts", import.meta.url), load);
  return Object.entries(reads).map(([name, path]) => {
    const { api, bare } = times[path] as ReadTimes;
    return compare({
      name: `p99 of ${name}, beside a bare Fastify route`,
      unit: "ms",
      value: median(api),
      beside: median(bare),
      goal: { atMost: 1.5 },
    });
  });
}
