/** The rules of a ClusterRole that gathers those of others. Pure. */
import { compileLabelSelector, jsonEqual, type KubeObject, type LabelSelector, type Stored } from "@berg/apimachinery";

export type ClusterRole = KubeObject & {
  rules?: object[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
};

/** Each once: selector by selector, and then by the names of the roles that they come from. */
export function gatheredRules(role: Stored<ClusterRole>, all: readonly Stored<ClusterRole>[]): object[] {
  const byName = all
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  const rules: object[] = [];
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const matcher = compileLabelSelector(selector);
    for (const rule of byName.filter(({ metadata }) => matcher.matches(metadata.labels)).flatMap(rulesOf)) {
      if (!rules.some((known) => jsonEqual(known, rule))) rules.push(rule);
    }
  }
  return rules;
}

export function rulesOf({ rules }: ClusterRole): object[] {
  return rules ?? [];
}
