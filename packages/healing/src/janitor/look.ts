/** One look at the whole cluster, by lists. */
import { type Client, Deployments, Namespaces, Pods } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { ourSelector } from "../removing/marks.ts";
import { type Sight, sightOf } from "../removing/sight.ts";

/** Few and large pages: 5,000 instances take 20 requests. */
const limit = 1000;

/**
 * The ChallengeInstances come last: each namespace that was seen was made for one that was there before it. The other
 * way round, an instance that starts in between would look like a ghost.
 */
export async function look(client: Pick<Client, "listAll">, signal: AbortSignal): Promise<Sight> {
  const ours = { labelSelector: ourSelector, limit, signal };
  const namespaces = (await client.listAll(Namespaces, ours)).items;
  const deployments = (await client.listAll(Deployments, ours)).items;
  const pods = (await client.listAll(Pods, ours)).items;
  const instances = (await client.listAll(ChallengeInstances, { limit, signal })).items;
  return sightOf({ instances, namespaces, deployments, pods });
}
