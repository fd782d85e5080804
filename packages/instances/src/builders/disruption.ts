import { type PodDisruptionBudget, PodDisruptionBudgets } from "@berg/kube";
import { type ChallengeContainer, components } from "@berg/resources";
import type { Blueprint, Child } from "./blueprint.ts";
import { marks } from "./marks.ts";
import { instanceNamespaceName } from "./names.ts";
import { podSelector } from "./pod.ts";

/**
 * Keeps a running container where it is until its instance ends. It also keeps its node from being drained: where nodes
 * have to come and go, the organiser allows disruption, and there is none.
 */
export function disruptionBudgets(blueprint: Blueprint): Child<PodDisruptionBudget>[] {
  if (blueprint.settings.disruption === "allow") return [];
  return blueprint.workload.containers.map((container) => disruptionBudget(blueprint, container));
}

function disruptionBudget(blueprint: Blueprint, container: ChallengeContainer): Child<PodDisruptionBudget> {
  return {
    type: PodDisruptionBudgets,
    manifest: {
      metadata: {
        name: container.hostname,
        namespace: instanceNamespaceName(blueprint.instance.ownerId),
        ...marks(blueprint, components.disruptionBudget, container.hostname),
      },
      spec: {
        minAvailable: 1,
        selector: { matchLabels: podSelector(blueprint, container) },
        // A pod that is not ready serves nobody: without this, one in a crash loop blocks its node for ever.
        unhealthyPodEvictionPolicy: "AlwaysAllow",
      },
    },
  };
}
