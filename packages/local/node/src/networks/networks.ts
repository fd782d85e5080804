/**
 * The networks of this node: each namespace on a bridge of its own, closed to all others and to the host.
 *
 *     attach(namespace)     the bridge's network is there, and its rules hold, before anything can be on it; and its
 *                           policies are known as they are now: to be called for each pod, before podStarted
 *     podStarted(pod, ip)   the pod may send and receive as its policies say: wait for it before its containers start
 *     podGone(uid)          its address means nothing any more
 *     guestJoined, guestLeft  the same for a container that is no pod: pods may call it, it may call nobody
 *
 * Folders in the order in which data flows: policies and services (what objects mean) → rules (what the kernel is told),
 * dns (what pods are told). Beside them: the engine's networks (namespace-networks.ts) and what the API server says
 * (known-objects.ts).
 *
 * Pods do not reach the API server: it runs on the host, which is closed to them.
 */
import { errorText, silentLogger, systemClock } from "@berg/kube";
import { prepareBridge } from "./bridge.ts";
import { askerOf, podAddressTest, resolvConf } from "./dns/pod-view.ts";
import { startDnsServer } from "./dns/server.ts";
import { hostUpstream } from "./dns/upstream.ts";
import { Guests } from "./guests.ts";
import type { Networks, NetworksOptions } from "./interface.ts";
import { KnownObjects } from "./known-objects.ts";
import { findLimitations } from "./limitations.ts";
import { tableName } from "./names.ts";
import { NamespaceNetworks } from "./namespace-networks.ts";
import { readPool } from "./pool.ts";
import { KernelTable } from "./rules/kernel-table.ts";
import { RuleKeeper } from "./rules/rule-keeper.ts";
import { rulesOf } from "./rules/rules.ts";
import { type NetworkPod, type NetworkState, networkPod } from "./state.ts";

export async function startNetworks(options: NetworksOptions): Promise<Networks> {
  const { engine, client, node, clock = systemClock, log = silentLogger, signal } = options;
  const pool = readPool(options.pool ?? "10.202.0.0/16");
  const { prevents, weakens } = await findLimitations(await engine.info(signal));
  const isIsolated = prevents.length === 0;
  if (!isIsolated && !options.withoutIsolation) throw new Error(`pods cannot be isolated here: ${prevents.join("; ")}`);

  const pods = new Map<string, NetworkPod>();
  const guests = new Guests();
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
    hasGuests: (namespace) => guests.areIn(namespace),
    async onChange() {
      guests.keepIn(new Set(networks.list().map(({ namespace }) => namespace)));
      await keeper?.apply();
    },
  });
  const state = (): NetworkState => ({
    bridges: networks.list(),
    pods: [...pods.values()].map((pod) => objects.newest(pod)),
    guests: guests.list(),
    services: objects.services.list(),
    slices: objects.slices.list(),
    policies: objects.policies.list(),
    namespaces: objects.namespaceLabels(),
  });

  /** Somebody is on its bridge, at an address that is known now. */
  async function admit(namespace: string): Promise<void> {
    const bridge = networks.bridgeOf(namespace);
    if (isIsolated && bridge !== undefined) await prepareBridge(bridge);
    await keeper?.apply();
  }
  /** Somebody who was on its bridge; perhaps the last. */
  function left(namespace: string): void {
    keeper?.changed();
    if (hasPods(namespace)) return;
    const isGone = objects.namespaces.get(namespace) === undefined;
    networks.removeLater(namespace, isGone ? 0 : undefined);
  }

  const isPodAddress = podAddressTest(pool.range);
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
    guests.clear();
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
      guests.addressTaken(address);
      await admit(known.namespace);
    },
    podGone(uid) {
      const pod = pods.get(uid);
      if (!pod || !pods.delete(uid)) return;
      left(pod.namespace);
    },
    async guestJoined(namespace, { id, address }) {
      if (guests.joined({ namespace, id, address }, networks.subnetOf(namespace))) await admit(namespace);
    },
    guestLeft(id) {
      const namespace = guests.left(id);
      if (namespace !== undefined) left(namespace);
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
