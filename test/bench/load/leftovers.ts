/** What still carries our mark. */
import { type KubeObject, StatusError, type Stored } from "@berg/apimachinery";
import { type Client, ControllerRevisions } from "@berg/kube";
import { labels, managedByBerg } from "@berg/resources";

/** Of every kind that the server lists, but for the records of what instances ran: those are kept for the next ones. */
export async function leftovers(client: Client): Promise<Stored<KubeObject>[]> {
  const found: Stored<KubeObject>[] = [];
  for (const type of await client.discovery.all()) {
    if (type.resource === ControllerRevisions.resource) continue;
    try {
      const { items } = await client.listAll(type, { labelSelector: `${labels.managedBy}=${managedByBerg}` });
      found.push(...items);
    } catch (error) {
      if (!(error instanceof StatusError) || !cannotBeListed.has(error.status.code ?? 0)) throw error;
    }
  }
  return found;
}

const cannotBeListed = new Set([404, 405]);
