/**
 * Which ContainerNetworks show the networks of namespaces, and which of them no longer should. Pure.
 *
 * One is there as long as the network is and its namespace is not about to go: then tunnels on it have to go as well,
 * or the network could never be removed.
 */
import type { Stored, ToCreate } from "@berg/apimachinery";
import type { Namespace } from "@berg/kube";
import { type Network, namespaceLabel } from "@berg/local-engine";
import { type ContainerNetwork, labels, managedByBerg } from "@berg/resources";

export interface MirrorPlan {
  readonly create: readonly ToCreate<ContainerNetwork>[];
  readonly remove: readonly Stored<ContainerNetwork>[];
  /** In the way: they have the name of a namespace, and somebody else made them. */
  readonly inTheWay: readonly Stored<ContainerNetwork>[];
}

export function planMirror(
  networks: readonly Network[],
  namespaceOf: (name: string) => Stored<Namespace> | undefined,
  objects: readonly Stored<ContainerNetwork>[],
): MirrorPlan {
  const wanted = new Map<string, string>();
  for (const { name, labels } of networks) {
    const namespace = labels[namespaceLabel] ?? "";
    if (isStaying(namespaceOf(namespace))) wanted.set(namespace, name);
  }
  const byName = new Map(objects.map((object) => [object.metadata.name, object]));
  const missing = [...wanted].filter(([namespace]) => !byName.has(namespace));
  return {
    create: missing.map(([namespace, networkName]) => mirrorOf(namespace, networkName)),
    remove: objects.filter((object) => {
      const { metadata, spec } = object;
      return isMirror(object) && !metadata.deletionTimestamp && wanted.get(metadata.name) !== spec.networkName;
    }),
    inTheWay: objects.filter((object) => wanted.has(object.metadata.name) && !isMirror(object)),
  };
}

function isStaying(namespace: Stored<Namespace> | undefined): boolean {
  return namespace !== undefined && !namespace.metadata.deletionTimestamp;
}

/** Made here. */
function isMirror({ metadata }: Stored<ContainerNetwork>): boolean {
  const marks = metadata.labels ?? {};
  return marks[labels.managedBy] === managedByBerg && marks[labels.networkOfNamespace] === metadata.name;
}

function mirrorOf(namespace: string, networkName: string): ToCreate<ContainerNetwork> {
  return {
    metadata: {
      name: namespace,
      labels: { [labels.managedBy]: managedByBerg, [labels.networkOfNamespace]: namespace },
    },
    spec: { networkName, mode: "existing", ipv6: false },
  };
}
