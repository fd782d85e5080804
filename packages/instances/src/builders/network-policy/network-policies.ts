import type { Blueprint, Child } from "../blueprint.ts";
import { ciliumNetworkPolicy } from "./cilium.ts";
import { kubernetesNetworkPolicy } from "./kubernetes.ts";

/**
 * What keeps an instance apart from all others; it has to be there before the first pod.
 *
 * `both` is for a cluster that changes from one to the other. Cilium enforces both kinds and allows what either does:
 * with `both` it is as open as Kubernetes' kind, which says in kubernetes.ts what it cannot limit.
 */
export function networkPolicies(blueprint: Blueprint): Child[] {
  switch (blueprint.settings.network.policy) {
    case "cilium":
      return [ciliumNetworkPolicy(blueprint)];
    case "kubernetes":
      return [kubernetesNetworkPolicy(blueprint)];
    case "both":
      return [ciliumNetworkPolicy(blueprint), kubernetesNetworkPolicy(blueprint)];
    case "none":
      return [];
  }
}
