/** Figures about tunnels. What is counted now is read from the copies at each scrape, so it is right after a restart. */
import type { Metrics } from "@berg/kube";
import { type ContainerNetworkTunnelProxy, tunnelProxyStates, tunnelStates } from "@berg/resources";
import { Gauge } from "prom-client";
import { metricNames } from "../vocabulary.ts";

export interface Counted {
  proxies(): Iterable<Pick<ContainerNetworkTunnelProxy, "status">>;
  /** Through each pair that answers, by the name of its object. */
  openStreams(): Promise<ReadonlyMap<string, number>>;
}

export function countTunnels({ registry }: Metrics, counted: Counted): void {
  const registers = [registry];
  new Gauge({
    name: metricNames.proxies,
    help: "ContainerNetworkTunnelProxies that are there, by state",
    labelNames: ["state"],
    registers,
    collect() {
      // Nobody has looked at one that is empty: that is as good as Pending.
      const states = [...counted.proxies()].map(({ status }) => status?.state || "Pending");
      for (const state of tunnelProxyStates.filter(Boolean)) this.set({ state }, count(states, state));
    },
  });
  new Gauge({
    name: metricNames.tunnels,
    help: "Tunnels of running pairs, by state; unreachable: clients can enter, and the server cannot be reached",
    labelNames: ["state"],
    registers,
    collect() {
      const tunnels = [...counted.proxies()].flatMap(({ status }) => status?.tunnelStatuses ?? []);
      const states = tunnels.map(({ state, errorMessage }) => {
        return state === "Ready" && errorMessage !== undefined ? unreachable : state;
      });
      for (const state of [...tunnelStates, unreachable]) this.set({ state }, count(states, state));
    },
  });
  new Gauge({
    name: metricNames.openStreams,
    help: "Streams that are open now, by ContainerNetworkTunnelProxy; one whose proxies do not answer is left out",
    labelNames: ["proxy"],
    registers,
    async collect() {
      const streams = await counted.openStreams();
      this.reset();
      for (const [proxy, open] of streams) this.set({ proxy }, open);
    },
  });
}

const unreachable = "Unreachable";

function count(all: readonly string[], one: string): number {
  return all.filter((each) => each === one).length;
}
