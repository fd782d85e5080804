import type { KubeObject, ResourceType } from "@berg/apimachinery";
import type { Informer } from "../cache/informer.ts";
import type { Client, Selection } from "../client/client.ts";

/**
 * A second API server that a process works with, such as the one of Gardener. It may be away for hours, and then the
 * process goes on with what it can: it starts and is ready without it, and says on its own objects what is missing.
 *
 *     const garden = manager.otherServer(createClient({ connection, rate }));
 *     const shoots = garden.informer(Shoots, { namespace });
 *     …
 *     if (!shoots.hasSynced) return `Gardener is away: ${errorText(shoots.failure)}`;
 */
export interface OtherServer {
  /** Reads freely; writes only while this process leads. */
  readonly client: Client;
  /** Each call makes one. At the start the rest waits for it, though not for long. */
  informer<T extends KubeObject>(type: ResourceType<T>, selection?: Selection): Informer<T>;
}
