/** Pod disruption budgets. */
import {
  always,
  choice,
  int32,
  int64,
  intOrString,
  kept,
  listMap,
  mapOf,
  object,
  patchedBy,
  time,
} from "../../shapes.ts";
import { condition, labelSelector } from "./meta.ts";

export const podDisruptionBudgetSpec = object({
  maxUnavailable: intOrString(),
  minAvailable: intOrString(),
  selector: patchedBy("replace", labelSelector),
  unhealthyPodEvictionPolicy: kept(choice("AlwaysAllow", "IfHealthyBudget")),
});

export const podDisruptionBudgetStatus = object({
  conditions: listMap(["type"], condition, "type"),
  currentHealthy: always(int32()),
  desiredHealthy: always(int32()),
  disruptedPods: mapOf(time()),
  disruptionsAllowed: always(int32()),
  expectedPods: always(int32()),
  observedGeneration: int64(),
});
