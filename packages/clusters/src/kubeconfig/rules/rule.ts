import type { ResourceType } from "@berg/apimachinery";
import type { KubeconfigPolicyRule } from "@berg/resources";

export type Rule = KubeconfigPolicyRule;

/** What a cluster serves, as its discovery tells. */
export type Served = readonly Pick<ResourceType, "group" | "kind" | "resource">[];

/** `role.rules[2]`: where a rule stands in the spec. */
export type Place = `${"clusterRole" | "role"}.rules[${number}]`;

/** Every rule of a request with its place. */
export function placed(kind: "clusterRole" | "role", rules: readonly Rule[]): { place: Place; rule: Rule }[] {
  return rules.map((rule, at) => ({ place: `${kind}.rules[${at}]`, rule }));
}
