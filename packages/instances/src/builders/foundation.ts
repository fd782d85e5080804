/** Everything of an instance that has to be there before the first pod. */
import type { Secret } from "@berg/kube";
import type { Blueprint, Child } from "./blueprint.ts";
import { flagObjects } from "./flag-objects.ts";
import { limits } from "./limits.ts";
import { networkPolicies } from "./network-policy/network-policies.ts";
import { pullSecretCopy } from "./pull-secret.ts";
import { isAtNodes, services } from "./services.ts";

/**
 * In no order that matters: all of it goes into the namespace (`namespaceChild`), and pods come after all of it. Ports at
 * the nodes are few, and may be refused: better before anything runs. `pullSecret` is the organiser's, where the settings
 * name one.
 */
export function foundation(blueprint: Blueprint, pullSecret?: Pick<Secret, "type" | "data">): Child[] {
  return [
    ...networkPolicies(blueprint),
    ...limits(blueprint),
    ...(pullSecret === undefined ? [] : [pullSecretCopy(blueprint, pullSecret)]),
    ...services(blueprint).filter(isAtNodes),
    ...flagObjects(blueprint),
  ];
}
