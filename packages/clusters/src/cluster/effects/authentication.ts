/** The ConfigMap that says who may sign in: written before the Shoot that refers to it, and removed after it. */
import { isAlreadyExists, isNotFound, type KubeObject, type Stored } from "@berg/apimachinery";
import { ConfigMaps, deleteChild, isAsWanted, NotOurs } from "@berg/kube";
import type { Cluster } from "@berg/resources";
import { labels, managedByClusters } from "../../vocabulary.ts";
import { authenticationNameOf } from "../names.ts";
import { type Authentication, configMapOf } from "../oidc/authentication.ts";
import { marksOf } from "../shoot/marks.ts";
import { fieldManager } from "../vocabulary.ts";
import type { Surroundings } from "./surroundings.ts";

export async function writeAuthentication(
  authentication: Authentication,
  cluster: Stored<Cluster>,
  { garden }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace } = garden;
  const manifest = configMapOf(authentication, namespace, marksOf(cluster));
  try {
    await client.create(ConfigMaps, manifest, { fieldManager, signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await client.get(ConfigMaps, namespace, manifest.metadata.name, { signal });
    if (!isOf(found, cluster)) throw new NotOurs(ConfigMaps, namespace, manifest.metadata.name);
    if (isAsWanted(manifest, found)) return;
    await client.update(ConfigMaps, { ...found, data: { ...found.data, ...manifest.data } }, { fieldManager, signal });
  }
}

/** Somebody else's of that name stays. */
export async function removeAuthentication(
  shootName: string,
  cluster: Stored<Cluster>,
  { garden }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace } = garden;
  try {
    const found = await client.get(ConfigMaps, namespace, authenticationNameOf(shootName), { signal });
    if (isOf(found, cluster)) await deleteChild(client, ConfigMaps, found, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function isOf({ metadata }: KubeObject, cluster: Stored<Cluster>): boolean {
  const marks = metadata.labels ?? {};
  return marks[labels.managedBy] === managedByClusters && marks[labels.clusterUid] === cluster.metadata.uid;
}
