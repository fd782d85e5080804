/**
 * Networks of the container engine as ContainerNetworks: those that objects ask for (decide.ts), and those that
 * namespaces have (plan-mirror.ts).
 *
 *     engine-news.ts → network-news.ts   which objects something has happened to
 *     network-controller.ts              looks, decides (decide.ts), does it and says so (status.ts)
 *     mirror-controller.ts               a ContainerNetwork for each network of a namespace
 *     leftovers.ts                       what a killed controller has left
 */
import {
  type Clock,
  type Logger,
  type Manager,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { addLeftoverController } from "./leftovers.ts";
import { addMirrorController } from "./mirror-controller.ts";
import { addNetworkController } from "./network-controller.ts";
import { networkNews } from "./network-news.ts";

export interface NetworkControllersOptions {
  engine: Engine;
  /** Marks what is ours; that of `startNetworks`, whose networks are shown. */
  node: string;
  clock?: Clock;
  random?: Random;
  log?: Logger;
}

/** A pod's network and its containers come within moments of each other. */
const settleMs = 300;

export function addNetworkControllers(manager: Manager, options: NetworkControllersOptions): void {
  const { engine, node, clock = systemClock, random = systemRandom, log = silentLogger } = options;
  const mirror = addMirrorController(manager, { engine, node, clock });
  const onNetworks = () => mirror.queue.addAfter("namespaces", settleMs);
  const news = networkNews(manager, { engine, clock, random, log, onNetworks });
  addNetworkController(manager, { engine, node, clock, news });
  addLeftoverController(manager, { engine, node });
}
