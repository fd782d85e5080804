import { isConflict, isNotFound, keyOf, parseTime, type Stored } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  Controller,
  type Informer,
  type Logger,
  type Node,
  type Pod,
  Pods,
  type ReconcileContext,
  type Result,
  watchMapped,
  watchSelf,
} from "@berg/kube";
import { type Behaviour, type BehaviourChoice, toBehaviour } from "./behaviour.ts";
import { decide, type Step } from "./decide.ts";
import { beginLife, changeLife, type Life, type RestartPolicy, restartLife } from "./life.ts";
import { ignoring, type SimulatedNodes } from "./nodes.ts";

export interface SimulatedPodsOptions {
  client: Client;
  informer: Informer<Pod>;
  nodes: SimulatedNodes;
  nodeInformer: Informer<Node>;
  behaviourOf: (pod: Pod) => Behaviour;
  /** Whether the simulator binds pods to nodes, or a real scheduler does. */
  binds: boolean;
  terminationMs: number;
  clock: Clock;
  log: Logger;
}

/** What is known of a pod beyond what the server says. */
interface Tracked {
  behaviour: Behaviour;
  life: Life | undefined;
  podIP: string;
  endsAt: number | undefined;
  /** As our last write left it: the cache may be behind, and the same must not be written twice. */
  latest: Stored<Pod> | undefined;
}

const byNode = "node";
// As many as the client has connections.
const workers = 64;

/** The pods of a simulator: placed, brought to their status, and finally removed. One controller does it all. */
export class SimulatedPods {
  readonly controller: Controller;
  readonly #options: SimulatedPodsOptions;
  readonly #tracked = new Map<string, Tracked>();
  #addresses = 0;

  constructor(options: SimulatedPodsOptions) {
    const { informer, nodeInformer, clock, log } = options;
    this.#options = options;
    informer.ensureIndex(byNode, (pod) => [pod.spec?.nodeName ?? ""]);
    informer.onChange(({ type, object }) => {
      if (type === "deleted") this.#tracked.delete(object.metadata.uid);
    });
    this.controller = new Controller(
      {
        name: "simulated-pods",
        // A node that comes or is uncordoned may take those that wait.
        watches: [watchSelf(informer), watchMapped(nodeInformer, () => this.on("").map(keyOf))],
        reconcile: (key, context) => this.#reconcile(key, context),
        workers,
      },
      { clock, log },
    );
  }

  /** The pods of a node; of `""`, those without one. */
  on(node: string): Stored<Pod>[] {
    return this.#options.informer.byIndex(byNode, node);
  }

  look(pods: readonly Pod[]): void {
    for (const pod of pods) this.controller.queue.add(keyOf(pod));
  }

  behave(pod: Stored<Pod>, choice: BehaviourChoice): void {
    const tracked = this.#track(pod);
    tracked.behaviour = toBehaviour(choice);
    if (tracked.life) tracked.life = changeLife(tracked.life, tracked.behaviour, this.#options.clock.now());
    this.look([pod]);
  }

  restart(pod: Stored<Pod>): void {
    const tracked = this.#track(pod);
    if (tracked.life) tracked.life = restartLife(tracked.life, this.#options.clock.now());
    this.look([pod]);
  }

  async #reconcile(key: string, { signal }: ReconcileContext): Promise<Result | undefined> {
    const cached = this.#options.informer.get(key);
    if (!cached) return undefined;
    const tracked = this.#track(cached);
    if (tracked.latest && !isOlder(cached, tracked.latest)) tracked.latest = undefined;
    let pod = tracked.latest ?? cached;
    for (;;) {
      const step = this.#decide(pod, tracked);
      if (step.do === "wait") return { requeueAfterMs: step.ms };
      if (step.do === "nothing") return undefined;
      try {
        pod = await this.#take(step, pod, tracked, signal);
      } catch (error) {
        // It was deleted meanwhile.
        if (isNotFound(error)) return undefined;
        throw error;
      }
      if (step.do === "remove") return undefined;
    }
  }

  #decide(pod: Stored<Pod>, tracked: Tracked): Step {
    const { nodes, binds, clock, terminationMs } = this.#options;
    const now = clock.now();
    const node = nodes.get(pod.spec?.nodeName ?? "");
    if (node) tracked.life ??= bornOnNode(pod, tracked.behaviour, now);
    if (node && pod.metadata.deletionTimestamp) tracked.endsAt ??= now + graceOf(pod, terminationMs);
    return decide({
      pod,
      behaviour: tracked.behaviour,
      life: tracked.life,
      place: node && { hostIP: node.hostIP, podIP: tracked.podIP, isAlive: node.isAlive },
      chooseNode: binds ? () => nodes.choose() : undefined,
      endsAt: tracked.endsAt,
      now,
    });
  }

  /** Gives the pod as it then is. */
  async #take(
    step: Exclude<Step, { do: "wait" | "nothing" }>,
    pod: Stored<Pod>,
    tracked: Tracked,
    signal: AbortSignal,
  ): Promise<Stored<Pod>> {
    const { client } = this.#options;
    const { namespace = "", name, uid } = pod.metadata;
    switch (step.do) {
      case "bind": {
        const target = { apiVersion: "v1", kind: "Node", name: step.node };
        const binding = { apiVersion: "v1", kind: "Binding", metadata: { namespace, name, uid }, target };
        await client.createSubresource(Pods, namespace, name, "binding", binding, { signal });
        return { ...pod, spec: { containers: [], ...pod.spec, nodeName: step.node } };
      }
      case "write": {
        // The UID keeps it off a pod that was made anew under the same name.
        const patch = { type: "merge", body: { metadata: { uid }, status: step.status } } as const;
        tracked.latest = await client.patch(Pods, namespace, name, patch, { subresource: "status", signal });
        return tracked.latest;
      }
      case "remove":
        await removePod(client, pod, signal);
        return pod;
    }
  }

  #track(pod: Stored<Pod>): Tracked {
    const { uid } = pod.metadata;
    let tracked = this.#tracked.get(uid);
    if (!tracked) {
      const podIP = pod.status?.podIP ?? this.#nextAddress();
      const behaviour = this.#options.behaviourOf(pod);
      tracked = { behaviour, life: undefined, podIP, endsAt: undefined, latest: undefined };
      this.#tracked.set(uid, tracked);
    }
    return tracked;
  }

  #nextAddress(): string {
    const number = ++this.#addresses;
    return `10.${128 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`;
  }
}

/** Takes the pod out of the cluster without waiting for anyone. It may be gone already, or be another by now. */
export async function removePod(client: Client, pod: Stored<Pod>, signal: AbortSignal | undefined): Promise<void> {
  const { namespace = "", name, uid } = pod.metadata;
  await ignoring(
    (error) => isNotFound(error) || isConflict(error),
    client.delete(Pods, namespace, name, { gracePeriodSeconds: 0, preconditions: { uid }, signal }),
  );
}

/** One that another simulator began goes on from where it was. */
function bornOnNode(pod: Pod, behaviour: Behaviour, now: number): Life {
  const since = pod.status?.startTime ? parseTime(pod.status.startTime) : now;
  return beginLife(behaviour, since, (pod.spec?.restartPolicy ?? "Always") as RestartPolicy);
}

/** kubelet waits for no container longer than the pod's grace period. */
function graceOf(pod: Pod, terminationMs: number): number {
  return Math.min(terminationMs, (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000);
}

function isOlder(a: Stored<Pod>, b: Stored<Pod>): boolean {
  return Number(a.metadata.resourceVersion) < Number(b.metadata.resourceVersion);
}
