import type { EnvVar } from "../flags/flag-env.ts";
import type { Blueprint, Child } from "./blueprint.ts";
import { deploymentFor } from "./deployment.ts";
import { disruptionBudgets } from "./disruption.ts";

/** What runs the containers of an instance, in the order in which it is made: a budget is there before its pod. */
export function workloads(blueprint: Blueprint, endpoints: readonly EnvVar[]): Child[] {
  const { containers } = blueprint.workload;
  return [
    ...disruptionBudgets(blueprint),
    ...containers.map((container) => deploymentFor(blueprint, container, endpoints)),
  ];
}
