/** The kinds that are about running things. Each file says what one of them is; `pod/` is the largest by far. */
import type { ServedResource } from "../../registry/resource.ts";
import { controllerRevisions } from "./controller-revision.ts";
import { deployments } from "./deployment.ts";
import { endpointSlices } from "./endpoint-slice.ts";
import { nodes } from "./node.ts";
import { pods } from "./pod/pod.ts";
import { podDisruptionBudgets } from "./pod-disruption-budget.ts";
import { replicaSets } from "./replica-set.ts";

export const workloadKinds: readonly ServedResource[] = [
  nodes,
  pods,
  controllerRevisions,
  deployments,
  replicaSets,
  podDisruptionBudgets,
  endpointSlices,
];
