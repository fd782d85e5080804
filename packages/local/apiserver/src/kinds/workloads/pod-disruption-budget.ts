/** Pod disruption budgets: how many pods may be taken away at once, where there is a choice. */

import type { LabelSelector } from "@berg/apimachinery";
import { type FieldError, invalid } from "../../errors/field-error.ts";
import type { Column, ServedResource, Strategy } from "../../registry/resource.ts";
import { pathSegmentProblems } from "../../schema/metadata/names.ts";
import {
  atMostAll,
  type IntOrPercent,
  intOrPercent,
  labelSelector,
  notNegative,
  oneOf,
  selectorAsShown,
} from "../checks/field-rules.ts";
import { ageColumn, nameColumn } from "../columns.ts";
import { served } from "../served.ts";
import { always, object } from "../shapes.ts";
import { toStoredForm } from "../stored-form.ts";
import { podDisruptionBudgetSpec, podDisruptionBudgetStatus } from "./shapes/policy.ts";
import { asA } from "./types.ts";

interface Budget {
  spec: {
    minAvailable?: IntOrPercent;
    maxUnavailable?: IntOrPercent;
    selector?: LabelSelector;
    unhealthyPodEvictionPolicy?: string;
  };
  status: { disruptionsAllowed: number; currentHealthy: number; desiredHealthy: number; expectedPods: number };
}

const schema = object({ spec: always(podDisruptionBudgetSpec), status: always(podDisruptionBudgetStatus) });

const strategy: Strategy = {
  hasStatus: true,
  hasGeneration: true,
  needsVersion: true,
  // Kubernetes looks at nothing but whether it fits into a path.
  nameProblems: pathSegmentProblems,
  fillIn: (draft) => toStoredForm(draft, schema),
  prepare(draft, old) {
    if (!old)
      asA<Budget>(draft).status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  validate(draft, _, subresource) {
    const { spec, status } = asA<Budget>(draft);
    return subresource === "status" ? statusErrors(status) : specErrors(spec);
  },
};

function specErrors(spec: Budget["spec"]): FieldError[] {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined)
    errors.push(invalid("spec", asShown(spec), "minAvailable and maxUnavailable cannot be both set"));
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable }))
    if (value !== undefined) errors.push(...intOrPercent(`spec.${field}`, value), ...atMostAll(`spec.${field}`, value));
  errors.push(...labelSelector("spec.selector", spec.selector));
  if (policy !== undefined)
    errors.push(...oneOf("spec.unhealthyPodEvictionPolicy", policy, ["AlwaysAllow", "IfHealthyBudget"]));
  return errors;
}

/** Kubernetes shows its own struct here, with its own names. */
function asShown({ minAvailable, selector, maxUnavailable, unhealthyPodEvictionPolicy }: Budget["spec"]): object {
  return {
    MinAvailable: minAvailable,
    Selector: selectorAsShown(selector),
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  };
}

function statusErrors(status: Budget["status"]): FieldError[] {
  return (["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const).flatMap((field) =>
    notNegative(`status.${field}`, status[field]),
  );
}

function limit(name: string, description: string, value: (spec: Budget["spec"]) => IntOrPercent | undefined): Column {
  return {
    name,
    type: "string",
    description,
    priority: 0,
    value: (object) => `${value(asA<Budget>(object).spec) ?? "N/A"}`,
  };
}

export const podDisruptionBudgets: ServedResource = served({
  group: "policy",
  version: "v1",
  resource: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  shortNames: ["pdb"],
  namespaced: true,
  schema,
  strategy,
  columns: [
    nameColumn,
    limit("Min Available", "The minimum number of pods that must be available.", (spec) => spec.minAvailable),
    limit("Max Unavailable", "The maximum number of pods that may be unavailable.", (spec) => spec.maxUnavailable),
    {
      name: "Allowed Disruptions",
      type: "integer",
      description: "Calculated number of pods that may be disrupted at this time.",
      priority: 0,
      value: (object) => asA<Budget>(object).status.disruptionsAllowed,
    },
    ageColumn,
  ],
});
