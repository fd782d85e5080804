/**
 * The networks of this node: each namespace on a bridge of its own, closed to all others and to the host.
 *
 *     attach(namespace)     the bridge's network is there, and its rules hold, before anything can be on it; and its
 *                           policies are known as they are now: to be called for each pod, before podStarted
 *     podStarted(pod, ip)   the pod may send and receive as its policies say: wait for it before its containers start
 *     podGone(uid)          its address means nothing any more
 *
 * Folders in the order in which data flows: policies and services (what objects mean) → rules (what the kernel is told),
 * dns (what pods are told). Beside them: the engine's networks (namespace-networks.ts) and what the API server says
 * (known-objects.ts).
 *
 * Pods do not reach the API server: it runs on the host, which is closed to them.
 */
import { type Client, type Clock, errorText, type Logger, type Pod, silentLogger, systemClock } from "@berg/kube";
import type { Engine } from "../engine/engine.ts";
import { prepareBridge } from "./bridge.ts";
import { askerOf, podAddressTest, resolvConf } from "./dns/pod-view.ts";
import { startDnsServer } from "./dns/server.ts";
import { hostUpstream, type Upstream } from "./dns/upstream.ts";
import { KnownObjects } from "./known-objects.ts";
import { findLimitations } from "./limitations.ts";
import { tableName } from "./names.ts";
import { NamespaceNetworks } from "./namespace-networks.ts";
import { KernelTable } from "./rules/kernel-table.ts";
import { RuleKeeper } from "./rules/rule-keeper.ts";
import { rulesOf } from "./rules/rules.ts";
import { type NetworkPod, type NetworkState, networkPod } from "./state.ts";
import { readPool } from "./subnets.ts";

export interface NetworksOptions {
  engine: Engine;
  client: Client;
  /** Marks what is ours. Of two nodes on one machine each has its own. */
  node: string;
  /** Where pods get their addresses from, 256 to a namespace: 10.202.0.0/16 unless told. */
  pool?: string;
  /** Go on where pods cannot be isolated. Else that is refused. */
  withoutIsolation?: boolean;
  /** The name servers of this machine unless told. */
  upstream?: Upstream;
  clock?: Clock;
  log?: Logger;
  signal?: AbortSignal;
}

export interface Attachment {
  /** The engine's name of it. */
  readonly network: string;
  /** For /etc/resolv.conf of its pods. */
  readonly resolvConf: string;
}

export interface Networks extends AsyncDisposable {
  attach(namespace: string, signal?: AbortSignal): Promise<Attachment>;
  /** Also of a pod that an earlier run left running. May be called again. */
  podStarted(pod: Pod, address: string): Promise<void>;
  podGone(uid: string): void;
  /** Removes the namespace's network now, if it has no pods. */
  release(namespace: string): Promise<void>;
  /** Once all pods of an earlier run are known or gone: removes the networks that nobody is on. */
  removeUnused(): Promise<void>;
  /** What is not isolated here, in plain words; nothing on Linux with a root engine. */
  limitations(): readonly string[];
  /** Removes all: to be called after the containers are gone. */
  stop(): Promise<void>;
  /** Leaves networks and rules to pods that go on without us: they stay closed, without names. */
  leave(): Promise<void>;
}

export async function startNetworks(options: NetworksOptions): Promise<Networks> {
  const { engine, client, node, clock = systemClock, log = silentLogger, signal } = options;
  const pool = readPool(options.pool ?? "10.202.0.0/16");
  const { prevents, weakens } = await findLimitations(await engine.info(signal));
  const isIsolated = prevents.length === 0;
  if (!isIsolated && !options.withoutIsolation) throw new Error(`pods cannot be isolated here: ${prevents.join("; ")}`);

  const pods = new Map<string, NetworkPod>();
  const hasPods = (namespace: string) => pods.values().some((pod) => pod.namespace === namespace);
  const objects = new KnownObjects({
    client,
    clock,
    log,
    onChange: () => keeper?.changed(),
    onPolicy: prepare,
    onNamespaceGone: (namespace) => void networks.release(namespace),
  });
  /** Where somebody says who may talk to pods, some are about to come: their network is there by then. */
  function prepare(namespace: string): void {
    networks
      .attach(namespace)
      .catch((error) => log.debug({ namespace, error: errorText(error) }, "a network could not be made ahead"));
  }
  const networks = new NamespaceNetworks({
    engine,
    node,
    pool,
    clock,
    log,
    hasPods,
    onChange: async () => keeper?.apply(),
  });
  const state = (): NetworkState => ({
    bridges: networks.list(),
    pods: [...pods.values()].map((pod) => objects.newest(pod)),
    services: objects.services.list(),
    slices: objects.slices.list(),
    policies: objects.policies.list(),
    namespaces: objects.namespaceLabels(),
  });

  const isPodAddress = podAddressTest(pool);
  const dns = isIsolated
    ? await startDnsServer({
        askerAt: (address) => askerOf(address, state(), objects, isPodAddress),
        upstream: options.upstream ?? hostUpstream({ clock }),
        clock,
        log,
      })
    : undefined;
  const table = dns && new KernelTable({ table: tableName(node), dnsPort: dns.port }, clock);
  const keeper = table && new RuleKeeper({ rules: () => rulesOf(state()), table, clock, log });

  const ending = new AbortController();
  const running = objects.run(ending.signal);
  const endAll = async () => {
    await networks.stop();
    await keeper?.stop();
    await table?.leave().catch((error) => log.debug({ error: errorText(error) }, "there were no packet rules"));
    ending.abort();
    await running;
    await dns?.[Symbol.asyncDispose]();
  };
  let ended: Promise<void> | undefined;
  const leave = () => {
    ended ??= endAll();
    return ended;
  };
  const stop = async () => {
    await networks.stop();
    pods.clear();
    for (const { namespace } of networks.list()) await networks.release(namespace);
    await leave();
    // Where a network could not be removed a container may still be on it.
    if (networks.list().length === 0) await table?.remove();
  };

  try {
    await objects.synced(signal);
    await networks.adopt(signal);
    // Closes what an earlier run left, until `podStarted` tells of it: names are asked for at another port now.
    await keeper?.apply();
  } catch (error) {
    await leave();
    throw error;
  }

  return {
    async attach(namespace, attaching) {
      const [network] = await Promise.all([
        networks.attach(namespace, attaching),
        objects.readPolicies(namespace, attaching),
      ]);
      return { network, resolvConf: resolvConf(namespace) };
    },
    async podStarted(pod, address) {
      const known = networkPod(pod, address);
      // The last one of an address has it.
      pods.delete(known.uid);
      pods.set(known.uid, known);
      const bridge = networks.bridgeOf(known.namespace);
      if (isIsolated && bridge !== undefined) await prepareBridge(bridge);
      await keeper?.apply();
    },
    podGone(uid) {
      const pod = pods.get(uid);
      if (!pod || !pods.delete(uid)) return;
      keeper?.changed();
      if (hasPods(pod.namespace)) return;
      const isGone = objects.namespaces.get(pod.namespace) === undefined;
      networks.removeLater(pod.namespace, isGone ? 0 : undefined);
    },
    release: (namespace) => networks.release(namespace),
    async removeUnused() {
      await Promise.all(networks.list().map(({ namespace }) => networks.release(namespace)));
      await keeper?.apply();
    },
    limitations: () => [...prevents, ...weakens],
    leave,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
