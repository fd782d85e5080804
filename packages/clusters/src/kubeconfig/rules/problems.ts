/**
 * What is wrong with rules: those that RBAC refuses, and those by which whoever has them can take more than they say.
 * Pure. Asked before and after they are made normal: `Escalate` is as bad as `escalate`.
 */
import { accessNamespace } from "../../vocabulary.ts";
import {
  makingSecrets,
  type Power,
  powersAnywhere,
  powersEverywhere,
  powersIn,
  type Right,
  readingSecrets,
} from "./powers.ts";
import { type Place, placed, type Rule } from "./rule.ts";

interface RulesOf {
  clusterRole?: { rules: readonly Rule[] };
  role?: { namespace: string; rules: readonly Rule[] };
}

/** What RBAC would not take. */
export function malformed({ clusterRole, role }: RulesOf): string[] {
  const all = [...placed("clusterRole", clusterRole?.rules ?? []), ...placed("role", role?.rules ?? [])];
  return all.flatMap(({ place, rule }) => {
    const problem = problemOf(place, rule);
    return problem === undefined ? [] : [`${place} ${problem}`];
  });
}

function problemOf(place: Place, { verbs, resources = [], apiGroups = [], nonResourceURLs = [] }: Rule) {
  if (verbs.length === 0) return "has no verbs: name at least one, such as get";
  if (nonResourceURLs.length > 0 && place.startsWith("role")) return "names paths, which only a clusterRole can";
  if (nonResourceURLs.length > 0 && resources.length > 0) return "names both resources and paths: make two of it";
  if (nonResourceURLs.length > 0) return undefined;
  if (resources.length === 0) return "has no resources: name at least one, such as pods";
  if (apiGroups.length === 0) return 'has no apiGroups: name at least one, such as apps, or "" for the core group';
  return undefined;
}

/** Since Kubernetes 1.36 also in parts: `impersonate:user-info` as whom, `impersonate-on:user-info:create` what for. */
const neverVerbs = /^(escalate|bind|impersonate(-on)?(:.*)?)$/;

export function escalating({ clusterRole, role }: RulesOf): string[] {
  const problems = [
    ...placed("clusterRole", clusterRole?.rules ?? []).flatMap(({ place, rule }) =>
      found(place, escalation(rule, powersEverywhere)),
    ),
    ...placed("role", role?.rules ?? []).flatMap(({ place, rule }) =>
      found(place, escalation(rule, powersIn(role?.namespace ?? ""))),
    ),
  ];
  if (role?.namespace === accessNamespace)
    problems.push(`role.namespace ${accessNamespace} holds the accounts of others`);
  return problems;
}

/** The namespace of the role, if it allows to write Secrets there: that is worth the tokens of all accounts in it. */
export function secretsWrittenIn(role: RulesOf["role"] | undefined): string | undefined {
  return role?.rules.some((rule) => allows(rule, makingSecrets)) ? role.namespace : undefined;
}

/** Whether Secrets of every namespace may be read, with whatever credentials are in them. */
export function readsAllSecrets(rules: readonly Rule[] = []): boolean {
  return rules.some((rule) => allows(rule, readingSecrets));
}

function found(place: Place, why: string | undefined): string[] {
  return why === undefined ? [] : [`${place} ${why}`];
}

function escalation(rule: Rule, more: readonly Power[]): string | undefined {
  const { apiGroups = [], resources = [] } = rule;
  const verbs = lower(rule.verbs);
  if (apiGroups.includes("*") && resources.includes("*") && verbs.includes("*")) return "allows everything";
  const never = verbs.find((verb) => neverVerbs.test(verb));
  if (never) return `has the verb ${never}`;
  return [...powersAnywhere, ...more].find((power) => allows(rule, power))?.why;
}

/** Names of objects make no difference. */
function allows(rule: Rule, right: Right): boolean {
  const { apiGroups = [], resources = [] } = rule;
  const isIn = (wanted: readonly string[], given: readonly string[]) =>
    given.includes("*") || wanted.some((each) => given.includes(each));
  const isResource = (resource: string) => {
    const slash = resource.indexOf("/");
    return resources.includes(resource) || (slash >= 0 && resources.includes(`*${resource.slice(slash)}`));
  };
  return (
    isIn(right.groups, lower(apiGroups)) &&
    (resources.includes("*") || right.resources.some(isResource)) &&
    isIn(right.verbs, lower(rule.verbs))
  );
}

function lower(texts: readonly string[]): string[] {
  return texts.map((text) => text.toLowerCase());
}
