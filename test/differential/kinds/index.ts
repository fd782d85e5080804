/** The kinds that scripts are about, the more interesting more often. */
import { configMaps, disruptionBudgets, leases, namespaces, secrets, serviceAccounts } from "./core.ts";
import { gadgets } from "./gadget.ts";
import type { Kind } from "./kind.ts";
import { services } from "./services.ts";
import { deployments, pods } from "./workloads.ts";

export const kinds: readonly { kind: Kind; weight: number }[] = [
  { kind: configMaps, weight: 3 },
  { kind: gadgets, weight: 4 },
  { kind: deployments, weight: 3 },
  { kind: pods, weight: 3 },
  { kind: services, weight: 3 },
  { kind: secrets, weight: 2 },
  { kind: namespaces, weight: 1 },
  { kind: serviceAccounts, weight: 1 },
  { kind: disruptionBudgets, weight: 1 },
  { kind: leases, weight: 1 },
];

export { gadgetDefinition } from "./gadget.ts";
export type { Json, Kind } from "./kind.ts";
