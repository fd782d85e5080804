/** Writes a pod's status, what changed of it alone, and knows the pod as the last write left it. */
import {
  createStrategicPatch,
  isConflict,
  isNotFound,
  isOtherUid,
  type Stored,
  strategicSchemaFor,
} from "@berg/apimachinery";
import { type Client, type Pod, Pods } from "@berg/kube";
import type { PodStatus } from "./status.ts";

const schema = strategicSchemaFor({ group: "", kind: "Pod" }) ?? {};

export class StatusWriter {
  readonly #client: Client;
  #pod: Stored<Pod>;

  constructor(client: Client, pod: Stored<Pod>) {
    this.#client = client;
    this.#pod = pod;
  }

  get pod(): Stored<Pod> {
    return this.#pod;
  }

  /** The cache may be behind our own last write. */
  saw(pod: Stored<Pod>): void {
    if (Number(pod.metadata.resourceVersion) >= Number(this.#pod.metadata.resourceVersion)) this.#pod = pod;
  }

  async write(status: PodStatus, signal: AbortSignal): Promise<void> {
    const { namespace = "", name, uid } = this.#pod.metadata;
    const patch = createStrategicPatch({ status: this.#pod.status ?? {} }, { status }, schema);
    if (Object.keys(patch).length === 0) return;
    // The UID keeps it off a pod that was made anew under the same name.
    const body = { ...patch, metadata: { uid } };
    try {
      const options = { subresource: "status", signal };
      this.#pod = await this.#client.patch(Pods, namespace, name, { type: "strategic", body }, options);
    } catch (error) {
      // It is gone, or another by now; the informer will tell.
      if (!isNotFound(error) && !isOtherUid(error) && !isConflict(error)) throw error;
    }
  }
}
