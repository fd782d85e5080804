/** What the gateway lets through, beside nginx in its place, and beside nobody in between. */
import { Pods } from "@berg/kube";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure, type Goal } from "../figure.ts";
import { runChild } from "../runtime/child.ts";
import { rounds } from "../runtime/rounds.ts";
import type { Site } from "./first-byte.ts";
import type { Load, LoadSettings } from "./load.ts";
import type { Place } from "./place.ts";
import { startReverseProxy } from "./reverse-proxy.ts";
import { largePath, port } from "./web-image.ts";

const connections = 16;

export async function throughputFigures(place: Place, options: BenchOptions): Promise<Figure[]> {
  const name = await place.create();
  await place.running(name);
  const { hostname, namespace } = await place.addressOf(name);
  const [pod] = (await place.client.list(Pods, { namespace })).items;
  const address = pod?.status?.podIP ?? "";
  await using nginx = await startReverseProxy(`${address}:${port}`);
  const sites = {
    gateway: { host: "127.0.0.1", port: place.machine.httpPort, hostname },
    nginx: { host: "127.0.0.1", port: nginx.port, hostname },
    direct: { host: address, port, hostname },
  };
  const small = await measure(sites, { path: "/", connections }, options);
  const large = await measure(sites, { path: largePath, connections: 1 }, options);
  await place.remove(name);
  const asked = `requests through the gateway, ${connections} connections`;
  const loaded = "one download through the gateway";
  return [
    ...figures(asked, "requests/s", small, "requestsPerSecond", { nginx: { atLeast: 0.15 }, direct: { atLeast: 0.1 } }),
    ...figures(loaded, "Gbit/s", large, "gigabitsPerSecond", { nginx: { atLeast: 0.5 }, direct: { atLeast: 0.25 } }),
  ];
}

type Loads = Record<"gateway" | "nginx" | "direct", Record<keyof Load, number>>;

function measure(
  sites: Record<keyof Loads, Site>,
  load: Pick<LoadSettings, "path" | "connections">,
  { quick, say }: BenchOptions,
): Promise<Loads> {
  const count = quick ? 1 : 3;
  const times = quick ? { warmUpMs: 1_000, measureMs: 2_000 } : { warmUpMs: 2_000, measureMs: 5_000 };
  say(`${load.path} on ${load.connections} connections, ${count} rounds`);
  const through = (site: Site) => () =>
    runChild<Record<keyof Load, number>>(new URL("./load.ts", import.meta.url), { ...site, ...load, ...times });
  return rounds(count, {
    gateway: through(sites.gateway),
    nginx: through(sites.nginx),
    direct: through(sites.direct),
  });
}

function figures(
  name: string,
  unit: string,
  { gateway, nginx, direct }: Loads,
  key: keyof Load,
  goals: { nginx: Goal; direct: Goal },
): Figure[] {
  const figure = (what: string, beside: number, goal: Goal) =>
    compare({ name: `${name}, beside ${what}`, unit, value: gateway[key], beside, goal });
  return [
    figure("nginx in its place", nginx[key], goals.nginx),
    figure("the container itself", direct[key], goals.direct),
  ];
}
