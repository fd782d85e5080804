/** The API server is there before the node whose pods it is asked about. */
import { StatusError } from "@berg/apimachinery";
import type { Nodes } from "@berg/local-apiserver";

export class PodAccess implements Nodes {
  #node: Nodes | undefined;

  /** From now on this one is asked. */
  use(node: Nodes): void {
    this.#node = node;
  }

  podLogs: Nodes["podLogs"] = async (...given) => this.#there("logs").podLogs(...given);
  exec: Nodes["exec"] = async (...given) => this.#there("commands").exec(...given);

  #there(what: string): Nodes {
    if (this.#node) return this.#node;
    const message = `there are no ${what}: pods are simulated here, and no container runs`;
    throw new StatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "NotImplemented",
      code: 501,
      message,
    });
  }
}
