/**
 * The controller of ContainerNetworkTunnelProxies: for each object a pair of proxies, one process on the host and one
 * container on the network, with the tunnels of its spec.
 *
 *     objects, networks ──► reconcile (decide → do) ──► status
 *                               │      ▲
 *                               ▼      │ results, ends of containers and processes
 *                             works: image, start, tunnels, clean-up
 */
import { keyOf } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  createMetrics,
  errorText,
  type Logger,
  Manager,
  type Metrics,
  OwnWrites,
  type Random,
  systemClock,
  systemRandom,
  watchMapped,
  watchSelf,
} from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { ContainerNetworks, ContainerNetworkTunnelProxies, fieldManagers } from "@berg/resources";
import { texts } from "../vocabulary.ts";
import { removeLeftovers } from "./lifecycle/leftovers.ts";
import { type EnsureImage, programsOf, type ServerPrograms } from "./lifecycle/programs.ts";
import type { Guests, PairSurroundings } from "./lifecycle/surroundings.ts";
import { trimLogs } from "./lifecycle/trim-logs.ts";
import { watchContainers } from "./lifecycle/watch-containers.ts";
import { Memories } from "./memories.ts";
import { countTunnels } from "./metrics.ts";
import { listenerOf } from "./pair-listener.ts";
import { Pairs } from "./pairs.ts";
import { type Reconciler, reconcile, writeStatus } from "./reconcile.ts";
import { withoutPair } from "./status.ts";
import { Works } from "./works.ts";

export interface TunnelControllerOptions {
  client: Client;
  engine: Engine;
  /** Its own, in the data directory. */
  directory: string;
  /** Which Berg this is: one for each data directory. */
  node: string;
  /** Of Berg. */
  version: string;
  guests?: Guests;
  log: Logger;
  clock?: Clock;
  random?: Random;
  metrics?: Metrics;
  /** Others than the real ones, for tests. */
  programs?: { programs: ServerPrograms; ensureImage: EnsureImage };
}

export interface TunnelController extends AsyncDisposable {
  /** Rejects where it ends by itself. */
  readonly failed: Promise<never>;
  /**
   * Ends all pairs, and removes what was made for them; the objects wait for the next controller. With `keepPairs` they
   * go on, for a controller that comes within a minute: it adopts them, and no stream is cut.
   */
  stop(options?: { keepPairs?: boolean }): Promise<void>;
}

const byNetwork = "network";
const theLeftovers = "leftovers";

export async function startTunnelController(options: TunnelControllerOptions): Promise<TunnelController> {
  const { client, clock = systemClock, random = systemRandom, guests } = options;
  const log = options.log.child({ component: fieldManagers.tunnels });
  const metrics = options.metrics ?? (await createMetrics());
  const manager = new Manager({ component: "tunnels", client, log, metrics, clock, random });
  const recorder = manager.recorderFor(fieldManagers.tunnels);
  const informer = manager.informer(ContainerNetworkTunnelProxies);
  const networks = manager.informer(ContainerNetworks);
  informer.ensureIndex(byNetwork, ({ spec }) => [spec.containerNetworkName]);
  const proxies = new OwnWrites(informer, clock);

  const { programs, ensureImage } = options.programs ?? programsOf(clock);
  const around: PairSurroundings = { ...options, programs, ensureImage, guests, clock, random, log };
  const memories = new Memories();
  const enqueue = (name: string, afterMs = 0) =>
    afterMs > 0 ? controller.queue.addAfter(name, afterMs) : controller.queue.add(name);
  const works = new Works({ memories, enqueue, log });
  const pairs = new Pairs(around, memories, (object) => listenerOf(object, { memories, enqueue, recorder, clock }));
  const reconciler: Reconciler = { ...around, client, recorder, proxies, networks, memories, works, pairs };

  countTunnels(metrics, {
    proxies: () => informer.list(),
    async openStreams() {
      const streams = await pairs.openStreams();
      return new Map([...streams].map(([uid, open]) => [memories.nameOf(uid) ?? uid, open]));
    },
  });

  const controller = manager.addController({
    name: "tunnelproxy",
    watches: [
      watchSelf(informer),
      watchMapped(networks, ({ metadata }) => informer.byIndex(byNetwork, metadata.name).map(keyOf)),
    ],
    reconcile: (key, { signal }) => reconcile(key, reconciler, signal),
  });
  manager.addController({
    name: "tunnelleftovers",
    workers: 1,
    watches: [{ informers: [informer], start: once(theLeftovers), all: () => [] }],
    async reconcile(_, { signal }) {
      const isThere = (uid: string) => informer.list().some(({ metadata }) => metadata.uid === uid);
      await removeLeftovers((uid) => isThere(uid) || memories.get(uid) !== undefined, around, signal);
      return undefined;
    },
  });

  const stopping = new AbortController();
  const run = manager.run(stopping.signal);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  run.catch(failure.reject);
  const watching = watchContainers(
    {
      running: () => memories.all().flatMap(({ uid, memory }) => (memory.pair ? { uid, ...memory.pair } : [])),
      ended(uid, containerId, why) {
        pairs.containerEnded(uid, containerId, why);
        const name = memories.nameOf(uid);
        if (name !== undefined) enqueue(name);
      },
    },
    around,
    stopping.signal,
  );

  const files = () => memories.all().flatMap(({ memory }) => memory.pair?.stderrFile || []);
  const trimming = trimLogs({ files, clock, log }, stopping.signal);

  const end = async ({ keepPairs = false }: { keepPairs?: boolean } = {}) => {
    stopping.abort();
    await Promise.allSettled([run, watching, trimming]);
    await works.stop();
    await pairs.stopWatching();
    if (!keepPairs) await endPairs(reconciler);
  };
  let ended: Promise<void> | undefined;
  const stop: TunnelController["stop"] = (how) => {
    ended ??= end(how);
    return ended;
  };
  return { failed: failure.promise, stop, [Symbol.asyncDispose]: () => stop() };
}

/** An orderly end is no failure: the next controller begins anew. */
async function endPairs(around: Reconciler): Promise<void> {
  const { memories, pairs, proxies, log } = around;
  const { signal } = new AbortController();
  const left = memories.all().filter(({ memory }) => !memory.isClean);
  await Promise.all(
    left.map(async ({ uid }) => {
      const { unclean } = await pairs.cleanUp(uid, signal);
      const object = proxies.get(memories.nameOf(uid) ?? "");
      if (object?.metadata.uid !== uid || object.status?.state === "Failed") return;
      try {
        // As long as it says Running, the next controller looks for a pair that is half gone, and calls it Failed.
        const why = unclean ? texts.stoppedUnclean(unclean.why) : texts.stopped;
        await writeStatus(object, withoutPair({ object, time: "" }, "Pending", why), around, signal);
        // What is left is found by them.
        if (!unclean) await pairs.removeFiles(uid);
      } catch (error) {
        log.warn({ name: object.metadata.name, error: errorText(error) }, "a status could not be written at the end");
      }
    }),
  );
}

function once(key: string) {
  return (enqueue: (key: string) => void) => {
    enqueue(key);
    return () => {};
  };
}
