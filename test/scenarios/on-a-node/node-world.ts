/**
 * A world whose pods run: on a real node, made by the controller as we ship it, from files that kubectl applies.
 *
 * There is no Cilium and no gateway here: instances have the network policy of Kubernetes, which nobody enforces on this
 * node, and their routes lead nowhere.
 */

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Stored } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, labels } from "@berg/resources";
import { stringify } from "yaml";
import { type ControlPlane, startControlPlane } from "../../control-plane/control-plane.ts";
import { socketOf } from "../../node/containerd.ts";
import { commandPath } from "../../node/missing.ts";
import { startNode, type TestNode } from "../../node/node.ts";
import { startControllerProcess } from "../controller-process.ts";
import { namespaceOf } from "../seeing.ts";
import { startWorld, type World } from "../world.ts";
import { images } from "./images.ts";

type Instance = Stored<ChallengeInstance>;

const env = {
  NETWORK_POLICY: "kubernetes",
  // So that all fit on a node of two cores at once.
  CHALLENGE_CPU_REQUEST: "10m",
  CHALLENGE_MEMORY_REQUEST: "16Mi",
};

export async function startNodeWorld(): Promise<NodeWorld> {
  const parts = new AsyncDisposableStack();
  try {
    const controlPlane = parts.use(await startControlPlane());
    const node = parts.use(await startNode({ controlPlane }));
    for (const image of images) await node.addImage(image);
    const { connection } = controlPlane;
    const world = await startWorld({
      simulator: "none",
      env,
      controlPlane: async () => ({ connection, stop: () => parts.disposeAsync() }),
    });
    await startControllerProcess(world);
    return new NodeWorld(world, node, controlPlane);
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

export class NodeWorld {
  readonly world: World;
  readonly node: TestNode;
  readonly #controlPlane: ControlPlane;

  constructor(world: World, node: TestNode, controlPlane: ControlPlane) {
    this.world = world;
    this.node = node;
    this.#controlPlane = controlPlane;
  }

  /** Applies a file of this repository, with some words in it replaced. */
  async apply(file: string, words: Record<string, string> = {}): Promise<void> {
    let text = await readFile(join(import.meta.dirname, "../../..", file), "utf8");
    for (const [word, replacement] of Object.entries(words)) text = text.replaceAll(word, replacement);
    await this.#kubectlApply(text);
  }

  /** A new owner's instance, as the API would ask for it. */
  async start(challenge: string, flag: string): Promise<Instance> {
    const ownerId = randomUUID();
    const { namespace } = this.world;
    await this.#kubectlApply(
      stringify({
        apiVersion: "berg.norelect.ch/v1",
        kind: "ChallengeInstance",
        metadata: { name: `owner-${ownerId}`, namespace },
        spec: { challengeRef: { name: challenge }, ownerId, flag },
      }),
    );
    return this.world.client.get(ChallengeInstances, namespace, `owner-${ownerId}`);
  }

  // By the server: kubectl's own way keeps a copy of everything, the flag as well, in an annotation.
  #kubectlApply(input: string): Promise<string> {
    return this.#controlPlane.kubectl(["apply", "--server-side", "-f", "-"], { input });
  }

  /** Runs a script in a container and gives what it printed. */
  inside(instance: Instance, container: string, script: string): Promise<string> {
    const pod = this.pods(instance).find(({ metadata }) => metadata.labels?.[labels.container] === container);
    if (!pod) throw new Error(`there is no pod of ${container}`);
    return this.node.exec({ namespace: namespaceOf(instance), pod: pod.metadata.name }, ["sh", "-c", script]);
  }

  pods({ metadata }: Instance): Stored<Pod>[] {
    const all = this.world.followed.informer("pods").list() as Stored<Pod>[];
    return all.filter((pod) => pod.metadata.labels?.[labels.instanceUid] === metadata.uid);
  }

  /** How many processes its pods have, as the kernel counts them. */
  async processes(instance: Instance): Promise<number> {
    const places = this.pods(instance).map(({ metadata }) => `-name "*pod${metadata.uid}"`);
    const find = `find /sys/fs/cgroup -type d \\( -false ${places.map((place) => `-o ${place}`).join(" ")} \\)`;
    const script = `for place in $(${find}); do cat $place/pids.current 2>/dev/null; done; true`;
    const counts = (await this.node.run(["sh", "-c", script])).split("\n").map(Number);
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** The ids of all containers that run on the node. */
  async runningContainers(): Promise<Set<string>> {
    const { directory } = this.node;
    const ctr = [commandPath("ctr"), `--address=${socketOf(directory)}`, "--namespace=k8s.io"];
    const lines = (await this.node.run([...ctr, "tasks", "list"])).trim().split("\n").slice(1);
    return new Set(lines.filter((line) => line.includes("RUNNING")).map((line) => line.split(" ")[0] ?? ""));
  }
}
