/** How many pods those who make them want: the denominator of every percentage. */
import {
  apiVersionOf,
  isNotFound,
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
  resourceName,
  type Stored,
} from "@berg/apimachinery";
import type { Client, Deployment, Informer, Pod, ReplicaSet } from "@berg/kube";
import type { ServedKinds } from "../served/served-kinds.ts";

/** Without it the status cannot be told. The text is for people. */
export class CannotCount extends Error {}

interface Controlled {
  replicaSets: Pick<Informer<ReplicaSet>, "get">;
  deployments: Pick<Informer<Deployment>, "get">;
  client: Pick<Client, "get">;
  served: ServedKinds;
}

export interface Scale {
  total: number;
  /** Pods that nobody makes. */
  unmanaged: readonly string[];
}

export async function scaleOf(
  pods: readonly Stored<Pod>[],
  controlled: Controlled,
  signal: AbortSignal,
): Promise<Scale> {
  const unmanaged: string[] = [];
  const asked = new Set<string>();
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (!controller) unmanaged.push(pod.metadata.name);
    if (!controller || asked.has(controller.uid)) continue;
    asked.add(controller.uid);
    const namespace = pod.metadata.namespace as string;
    const found = known(controller, namespace, controlled) ?? (await ask(controller, namespace, controlled, signal));
    if (!found) throw new CannotCount(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
    scales.set(found.uid, found.replicas);
  }
  return { total: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

interface Found {
  uid: string;
  replicas: number;
}

/** A Deployment stands for all its ReplicaSets, of which there are two while it rolls. */
function known(
  controller: OwnerReference,
  namespace: string,
  { replicaSets, deployments }: Controlled,
): Found | undefined {
  if (controller.kind !== "ReplicaSet" || parseApiVersion(controller.apiVersion).group !== "apps") return undefined;
  const set = replicaSets.get(`${namespace}/${controller.name}`);
  if (set?.metadata.uid !== controller.uid) return undefined;
  const above = controllerOf(set);
  if (above?.kind !== "Deployment") return { uid: controller.uid, replicas: set.spec?.replicas ?? 1 };
  const deployment = deployments.get(`${namespace}/${above.name}`);
  if (deployment?.metadata.uid !== above.uid) return undefined;
  return { uid: above.uid, replicas: deployment.spec?.replicas ?? 1 };
}

/** Anything else says it itself, by its scale subresource. */
async function ask(
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
  { client, served }: Controlled,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { kinds } = await served.get({ maxAgeMs: 30_000 });
  const type = kinds.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  if (!type)
    throw new CannotCount(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  try {
    const scale = (await client.get(type, namespace, name, { subresource: "scale", signal })) as Stored<KubeObject> & {
      spec?: { replicas?: number };
    };
    return scale.metadata.uid === uid ? { uid, replicas: scale.spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const isThere = await client.get(type, namespace, name, { signal }).then(
      () => true,
      () => false,
    );
    if (isThere) throw new CannotCount(`${resourceName(type)} does not implement the scale subresource`);
    return undefined;
  }
}

function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}
