/** `matchLabelKeys` of a new pod become part of its selectors, with the values that its own labels have. */
import type { LabelExpression, LabelSelector } from "@berg/apimachinery";
import { own } from "../../checks/field-rules.ts";
import type { Pod } from "../types.ts";

export function addMatchLabelKeys({ metadata, spec }: Pod): void {
  const labels = metadata.labels ?? {};
  for (const constraint of spec.topologySpreadConstraints ?? [])
    add(constraint.labelSelector, constraint.matchLabelKeys, "In", labels);
  for (const pods of [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity])
    for (const term of [
      ...(pods?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(pods?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ]) {
      add(term.labelSelector, term.matchLabelKeys, "In", labels);
      add(term.labelSelector, term.mismatchLabelKeys, "NotIn", labels);
    }
}

function add(
  selector: LabelSelector | undefined,
  keys: readonly string[] | undefined,
  operator: "In" | "NotIn",
  labels: Record<string, string>,
): void {
  if (!selector) return;
  const more = (keys ?? []).flatMap((key): LabelExpression[] => {
    const value = own(labels, key);
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  if (more.length > 0) selector.matchExpressions = [...(selector.matchExpressions ?? []), ...more];
}
