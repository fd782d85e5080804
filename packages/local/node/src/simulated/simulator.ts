/**
 * Stands in for the kubelets of a cluster that has none: see README.md for what is simulated and what is not.
 *
 *     await using controlPlane = await startControlPlane({ scheduler: false });
 *     await using simulator = await startSimulator({ connection: controlPlane.connection, nodes: 3 });
 */
import { isConflict, isNotFound, isTooManyRequests, type Stored } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  type Connection,
  createClient,
  errorText,
  Informer,
  type Logger,
  Nodes,
  type Pod,
  Pods,
  silentLogger,
  sleep,
  systemClock,
  unlimited,
} from "@berg/kube";
import { type Behaviour, type BehaviourChoice, behaviourAnnotation, toBehaviour } from "./behaviour.ts";
import { ignoring, SimulatedNodes } from "./nodes.ts";
import { isTerminal } from "./pod-status.ts";
import { removePod, SimulatedPods } from "./pods.ts";

export interface SimulatorOptions {
  /** Where the cluster is; the simulator then has a client of its own, without a rate limit. */
  connection?: Connection;
  /** In place of `connection`. It stays open at the end. */
  client?: Client;
  /** How many nodes to register: `simulated-1` and so on. One unless told. */
  nodes?: number;
  /** How long it takes a pod to become ready where its behaviour does not say. At once unless told. */
  readyAfterMs?: number;
  /** Chooses a pod's behaviour, where its annotation does not. */
  behaviour?: (pod: Pod) => BehaviourChoice | undefined;
  /** Who places pods: the simulator, fast and blind, or the kube-scheduler of the cluster. */
  scheduler?: "simulated" | "real";
  /** How long a pod takes to end, within its grace period. At once unless told. */
  terminationMs?: number;
  clock?: Clock;
  log?: Logger;
  signal?: AbortSignal;
}

/** Names a pod; every Pod does. */
export interface PodName {
  metadata: { namespace?: string; name: string };
}

export interface Simulator extends AsyncDisposable {
  /** The names of the nodes. */
  readonly nodes: string[];
  /** Changes what a pod does from now on: `behave(pod, "never-ready")`, `behave(pod, { kind: "crash-loop" })`. */
  behave(pod: PodName, choice: BehaviourChoice, signal?: AbortSignal): Promise<void>;
  /** Kills the pod's containers, and starts them again. */
  restart(pod: PodName, signal?: AbortSignal): Promise<void>;
  /** Asks for the pod's eviction once; rejects with 429 where a PodDisruptionBudget forbids it. */
  evict(pod: PodName, signal?: AbortSignal): Promise<void>;
  /** Cordons the node and evicts its pods, waiting for their budgets; resolves when the last one is gone. */
  drain(node: string, signal?: AbortSignal): Promise<void>;
  uncordon(node: string, signal?: AbortSignal): Promise<void>;
  /** The node runs short of memory: its kubelet ends every pod on it, whatever the budgets say. */
  evictNode(node: string): void;
  /** The node goes silent: Ready becomes Unknown, its pods not ready, and nothing on it is started or removed. */
  killNode(node: string): void;
  reviveNode(node: string): void;
  /** The node is gone for good, and so are its pods. */
  removeNode(node: string, signal?: AbortSignal): Promise<void>;
  /** Ends the simulation and removes the nodes. Pods stay as they are. */
  stop(): Promise<void>;
}

const drainPollMs = 250;
const stopDeadlineMs = 10_000;

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock = systemClock, log = silentLogger } = options;
  const client = options.client ?? ownClient(options, clock, log);
  const nodeInformer = new Informer({ client, type: Nodes, clock, log });
  const podInformer = new Informer({ client, type: Pods, clock, log });
  const nodes = new SimulatedNodes({ client, informer: nodeInformer, count: options.nodes ?? 1, clock, log });
  const pods = new SimulatedPods({
    client,
    informer: podInformer,
    nodes,
    nodeInformer,
    behaviourOf: (pod) => chooseBehaviour(pod, options),
    binds: options.scheduler !== "real",
    terminationMs: options.terminationMs ?? 0,
    clock,
    log,
  });

  const stopping = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const end = async () => {
    stopping.abort();
    await ended;
    const deadline = new AbortController();
    const timer = clock.setTimer(stopDeadlineMs, () => deadline.abort(new Error("the server does not answer")));
    await Promise.all(nodes.names.map((name) => nodes.remove(name, deadline.signal)))
      .catch((error) => log.warn({ error: errorText(error) }, "nodes could not be removed"))
      .finally(() => timer.cancel());
    if (!options.client) await client.close();
  };
  let ending: Promise<void> | undefined;
  const stop = () => {
    ending ??= end();
    return ending;
  };

  try {
    const { signal } = options;
    await nodes.register(signal);
    const parts = [
      nodeInformer.run(stopping.signal),
      podInformer.run(stopping.signal),
      nodes.controller.run(stopping.signal, stopping.signal),
      pods.controller.run(stopping.signal, stopping.signal),
    ];
    ended = Promise.all(
      parts.map((part) => part.catch((error) => log.error({ error: errorText(error) }, "simulator broke"))),
    );
    await Promise.all([nodeInformer.synced(signal), podInformer.synced(signal)]);
  } catch (error) {
    await stop();
    throw error;
  }

  const find = ({ metadata: { namespace = "default", name } }: PodName, signal?: AbortSignal) =>
    client.get(Pods, namespace, name, { signal });
  const cordon = (node: string, unschedulable: boolean, signal?: AbortSignal) =>
    client.patch(Nodes, "", node, { type: "merge", body: { spec: { unschedulable } } }, { signal });

  return {
    get nodes() {
      return nodes.names;
    },
    async behave(pod, choice, signal) {
      pods.behave(await find(pod, signal), choice);
    },
    async restart(pod, signal) {
      pods.restart(await find(pod, signal));
    },
    async evict(pod, signal) {
      await evict(client, await find(pod, signal), signal);
    },
    async drain(node, signal) {
      await cordon(node, true, signal);
      for (let left = evictable(pods.on(node)); left.length > 0; left = evictable(pods.on(node))) {
        await Promise.all(left.map((pod) => ignoring(isRefusedOrGone, evict(client, pod, signal))));
        await sleep(clock, drainPollMs, signal);
      }
    },
    async uncordon(node, signal) {
      await cordon(node, false, signal);
    },
    evictNode(node) {
      for (const pod of pods.on(node)) pods.behave(pod, { kind: "evicted" });
    },
    killNode(node) {
      nodes.setAlive(node, false);
      pods.look(pods.on(node));
    },
    reviveNode(node) {
      nodes.setAlive(node, true);
      pods.look(pods.on(node));
    },
    async removeNode(node, signal) {
      await nodes.remove(node, signal);
      await Promise.all(pods.on(node).map((pod) => removePod(client, pod, signal)));
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function ownClient({ connection }: SimulatorOptions, clock: Clock, log: Logger): Client {
  if (!connection) throw new TypeError("cannot start a simulator: give it a client or a connection");
  return createClient({ connection, component: "simulator", rate: unlimited, clock, log });
}

function chooseBehaviour(pod: Pod, { behaviour, readyAfterMs }: SimulatorOptions): Behaviour {
  try {
    const choice = pod.metadata.annotations?.[behaviourAnnotation] ?? behaviour?.(pod) ?? "ready";
    return { ...(readyAfterMs !== undefined && { afterMs: readyAfterMs }), ...toBehaviour(choice) };
  } catch (error) {
    // Where whoever wrote it will look for why the pod does not start.
    return { kind: "unschedulable", message: errorText(error) };
  }
}

function evictable(pods: Stored<Pod>[]): Stored<Pod>[] {
  const isDaemon = (pod: Pod) => pod.metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet");
  return pods.filter((pod) => !isDaemon(pod) && !isTerminal(pod.status?.phase));
}

async function evict(client: Client, pod: Stored<Pod>, signal?: AbortSignal): Promise<void> {
  const { namespace = "", name, uid } = pod.metadata;
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { namespace, name },
    deleteOptions: { preconditions: { uid } },
  };
  await client.createSubresource(Pods, namespace, name, "eviction", body, { signal });
}

function isRefusedOrGone(error: unknown): boolean {
  return isTooManyRequests(error) || isNotFound(error) || isConflict(error);
}
