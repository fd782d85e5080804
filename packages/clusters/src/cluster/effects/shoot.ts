/** Writes to Shoots. Each names the life of the Shoot that was looked at: another one of its name is never touched. */
import { isAlreadyExists, isNotFound, makeKey, type Stored } from "@berg/apimachinery";
import { type Cluster, Clusters } from "@berg/resources";
import { type Shoot, Shoots } from "../../gardener/kinds.ts";
import { annotations, gardener, labels } from "../../vocabulary.ts";
import type { Facts } from "../seen.ts";
import { belongingOf, marksOf } from "../shoot/marks.ts";
import type { ShootChange, Step } from "../step.ts";
import { fieldManager } from "../vocabulary.ts";
import type { Surroundings } from "./surroundings.ts";

/** Asks the garden itself. What is there shows in `around.shoots` from now on. */
export async function findShoot(name: string, facts: Facts, around: Surroundings, signal: AbortSignal): Promise<void> {
  const { client, namespace } = around.garden;
  try {
    around.shoots.wrote(await client.get(Shoots, namespace, name, { signal }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const copy = around.shoots.get(makeKey(namespace, name));
    if (copy) around.shoots.gone(copy.metadata.uid);
    facts.shootIsGone = true;
  }
}

export async function createShoot(
  { spec, digest }: Extract<Step, { do: "createShoot" }>,
  name: string,
  cluster: Stored<Cluster>,
  facts: Facts,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace } = around.garden;
  if (!(await isStillWanted(cluster, around, signal))) return;
  const { labels: marks, annotations: notes } = marksOf(cluster);
  const metadata = {
    name,
    namespace,
    labels: marks,
    annotations: { ...notes, ...(digest !== undefined && { [annotations.authenticationDigest]: digest }) },
  };
  try {
    around.shoots.wrote(await client.create(Shoots, { metadata, spec }, { fieldManager, signal }));
    facts.told = digest;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // Ours, where the answer to an earlier try was lost; or somebody else's. The next look tells.
    around.shoots.wrote(await client.get(Shoots, namespace, name, { signal }));
  }
}

/** The server's own word: a cluster is not made for a Cluster that was deleted a moment ago. */
async function isStillWanted(
  { metadata }: Stored<Cluster>,
  around: Surroundings,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace = "", name, uid } = metadata;
  try {
    const now = await around.client.get(Clusters, namespace, name, { signal });
    around.clusters.wrote(now);
    return now.metadata.uid === uid && !now.metadata.deletionTimestamp;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    around.clusters.gone(uid);
    return false;
  }
}

export async function changeShoot(
  shoot: Stored<Shoot>,
  cluster: Stored<Cluster>,
  { spec, labels: marks, annotations: notes }: ShootChange,
  { garden, shoots, memories }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const wanted = { ...shoot, metadata: { ...shoot.metadata, labels: marks, annotations: notes }, spec };
  const answer = await garden.client.update(Shoots, wanted, { fieldManager, signal });
  const answered = { cluster: cluster.metadata.generation, shoot: answer.metadata.generation };
  memories.of(cluster.metadata.uid).answered = answered;
  shoots.wrote(answer);
}

export function retryShoot(shoot: Stored<Shoot>, retries: string, around: Surroundings, signal: AbortSignal) {
  return annotate(shoot, { [gardener.operation]: "retry", [annotations.retries]: retries }, around, signal);
}

/** Gardener wants it before it lets anybody delete a Shoot. */
export function confirmDeletion(shoot: Stored<Shoot>, around: Surroundings, signal: AbortSignal): Promise<void> {
  return annotate(shoot, { [gardener.confirmDeletion]: "true" }, around, signal);
}

/** Once it is gone there is no way back: so the garden is asked first whether it still is the one, and still ours. */
export async function deleteShoot(
  shoot: Stored<Shoot>,
  cluster: Stored<Cluster>,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace } = around.garden;
  const { name, uid } = shoot.metadata;
  const now = await client.get(Shoots, namespace, name, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (now) around.shoots.wrote(now);
  if (now?.metadata.uid !== uid) return around.shoots.gone(uid);
  if (belongingOf(now, cluster) !== "ours" || now.metadata.deletionTimestamp) return;
  await client.delete(Shoots, namespace, name, { preconditions: { uid }, signal });
  around.shoots.deleted(uid);
}

/** Our marks off: from then on it is nobody's of ours. */
export function leaveShoot(shoot: Stored<Shoot>, around: Surroundings, signal: AbortSignal): Promise<void> {
  const ours = Object.values(annotations).filter((name) => shoot.metadata.annotations?.[name] !== undefined);
  const none = Object.fromEntries(ours.map((name) => [name, null]));
  return patch(
    shoot,
    { annotations: none, labels: { [labels.managedBy]: null, [labels.clusterUid]: null } },
    around,
    signal,
  );
}

function annotate(shoot: Stored<Shoot>, notes: Record<string, string>, around: Surroundings, signal: AbortSignal) {
  return patch(shoot, { annotations: notes }, around, signal);
}

async function patch(
  { metadata }: Stored<Shoot>,
  fields: object,
  { garden, shoots }: Surroundings,
  signal: AbortSignal,
) {
  const { name, uid, resourceVersion } = metadata;
  const body = { metadata: { uid, resourceVersion, ...fields } };
  shoots.wrote(
    await garden.client.patch(Shoots, garden.namespace, name, { type: "merge", body }, { fieldManager, signal }),
  );
}
