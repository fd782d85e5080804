import { type Namespace, Namespaces } from "@berg/kube";
import { components } from "@berg/resources";
import { baselineCapabilities } from "../settings/capabilities.ts";
import type { Blueprint, Child, Workload } from "./blueprint.ts";
import { marks } from "./marks.ts";
import { instanceNamespaceName } from "./names.ts";

/** Which pods the cluster admits to the namespace. */
export const podSecurityLabel = "pod-security.kubernetes.io/enforce";

/** The Namespace that holds everything else of the instance, and is gone with it. */
export function namespaceChild(blueprint: Blueprint): Child<Namespace> {
  const ofInstance = marks(blueprint, components.namespace);
  const podSecurity = needsPrivileged(blueprint.workload) ? "privileged" : "baseline";
  return {
    type: Namespaces,
    manifest: {
      metadata: {
        name: instanceNamespaceName(blueprint.instance.ownerId),
        ...ofInstance,
        labels: { ...ofInstance.labels, [podSecurityLabel]: podSecurity },
      },
    },
  };
}

/** Whether pods of this workload are only admitted where everything is. */
export function needsPrivileged({ containers }: Pick<Workload, "containers">): boolean {
  return containers.some(({ additionalCapabilities }) => !additionalCapabilities.every(isBaselineCapability));
}

export function isBaselineCapability(name: string): boolean {
  return baselineCapabilities.includes(name);
}
