/** Makes the ReplicaSet of a Deployment's current template. */
import { isAlreadyExists, isNamespaceTerminating, type Stored } from "@berg/apimachinery";
import { type Client, type Deployment, Deployments, type ReplicaSet, ReplicaSets, TerminalError } from "@berg/kube";
import { controllerOf, controllerReference } from "../replica-sets/claim.ts";
import { isRolling, limitsOf } from "./limits.ts";
import { currentAnnotations, sizeAnnotations } from "./revisions.ts";
import { growingSize, sizeOf, sum } from "./sizes.ts";
import { hashLabel, hashOf, isSameTemplate, replicaSetName, templateOf } from "./template.ts";

export type Made = { name: string } & (
  | { outcome: "made" | "found"; replicaSet: Stored<ReplicaSet> }
  /** Another one has the name: two templates with the same hash. */
  | { outcome: "taken" }
  | { outcome: "refused"; error: Error }
);

export async function makeReplicaSet(
  client: Pick<Client, "create" | "get">,
  deployment: Stored<Deployment>,
  old: readonly Stored<ReplicaSet>[],
  signal: AbortSignal,
): Promise<Made> {
  const wanted = replicaSetOf(deployment, old);
  const { name, namespace } = wanted.metadata;
  try {
    return { outcome: "made", name, replicaSet: await client.create(ReplicaSets, wanted, { signal }) };
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    // All of it goes soon; there is nobody left to tell.
    if (isNamespaceTerminating(error)) throw new TerminalError(error.message, { cause: error });
    if (!isAlreadyExists(error)) return { outcome: "refused", name, error };
    const replicaSet = await client.get(ReplicaSets, namespace, name, { signal });
    const isOurs =
      controllerOf(replicaSet)?.uid === deployment.metadata.uid &&
      isSameTemplate(templateOf(replicaSet), templateOf(deployment));
    return isOurs ? { outcome: "found", name, replicaSet } : { outcome: "taken", name };
  }
}

export function replicaSetOf(deployment: Stored<Deployment>, old: readonly Stored<ReplicaSet>[]) {
  const { metadata, spec, status } = deployment;
  const template = templateOf(deployment);
  const hash = hashOf(template, status?.collisionCount ?? 0);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const limits = limitsOf(deployment);
  const { minReadySeconds = 0, selector } = spec ?? {};
  return {
    metadata: {
      name: replicaSetName(metadata.name, hash),
      namespace: metadata.namespace as string,
      labels,
      annotations: { ...currentAnnotations(deployment, undefined, old), ...sizeAnnotations(limits) },
      ownerReferences: [controllerReference(Deployments, deployment)],
    },
    spec: {
      replicas: growingSize(limits, 0, sum(old.map(sizeOf)), isRolling(deployment)),
      ...(minReadySeconds > 0 && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
