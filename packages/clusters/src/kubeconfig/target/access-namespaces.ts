import type { Client } from "@berg/kube";
import { ensureAccessNamespace } from "./ensure.ts";

/** The namespace of accounts in each target: looked at once for each way in, which lasts for minutes and serves many. */
export class AccessNamespaces {
  readonly #looked = new WeakSet<Client>();

  /** `isEmpty`: nothing of the request was found in it. It may be gone itself, or may never have been there. */
  async ensure(client: Client, isEmpty: boolean, signal: AbortSignal): Promise<void> {
    if (this.#looked.has(client) && !isEmpty) return;
    await ensureAccessNamespace(client, signal);
    this.#looked.add(client);
  }
}
