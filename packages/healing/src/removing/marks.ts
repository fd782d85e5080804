/** What is ours: by its marks, and for a namespace by its name too. The admission policies in deploy/ ask for the same. */
import type { KubeObject } from "@berg/apimachinery";
import { labels, managedByBerg } from "@berg/resources";

/** Selects what some instance owns. */
export const ourSelector = `${labels.managedBy}=${managedByBerg},${labels.instanceUid}`;

/** Of every namespace that Berg makes. Somebody's label on kube-system does not make it ours. */
const namespacePrefix = "challenge-";

/** The UID of the ChallengeInstance that it was made for; undefined where it is not ours. */
export function instanceUidOf({ metadata }: Pick<KubeObject, "metadata">): string | undefined {
  if (metadata.labels?.[labels.managedBy] !== managedByBerg) return undefined;
  return metadata.labels[labels.instanceUid] || undefined;
}

/** As `instanceUidOf`, for a namespace. */
export function instanceUidOfNamespace(namespace: Pick<KubeObject, "metadata">): string | undefined {
  return namespace.metadata.name.startsWith(namespacePrefix) ? instanceUidOf(namespace) : undefined;
}
