/**
 * What is wrong with rules: those that RBAC refuses, and those by which whoever has them can take more than they say.
 * Pure. Asked before and after they are made normal: `Escalate` is as bad as `escalate`.
 */
import { accessNamespace } from "../../vocabulary.ts";
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

interface Power {
  groups: readonly string[];
  resources: readonly string[];
  verbs: readonly string[];
  why: string;
}

const rbac = "rbac.authorization.k8s.io";
const writing = ["create", "update", "patch", "delete", "deletecollection"];

/** One who has any of these can have more. */
const powers: readonly Power[] = [
  {
    groups: [rbac],
    resources: ["roles", "clusterroles"],
    verbs: ["escalate", "bind"],
    why: "allows escalate or bind on roles",
  },
  {
    groups: ["", "authentication.k8s.io"],
    resources: ["users", "groups", "serviceaccounts", "uids", "userextras"],
    verbs: ["impersonate"],
    why: "allows to impersonate others",
  },
  { groups: [""], resources: ["serviceaccounts/token"], verbs: ["create"], why: "allows to make tokens of others" },
];

/** Whoever can write Secrets beside our service accounts can make tokens of them; one of kind service-account-token does. */
const secretsEverywhere: Power = {
  groups: [""],
  resources: ["secrets"],
  verbs: writing,
  why: `allows to write Secrets in every namespace, also in ${accessNamespace}`,
};

const neverVerbs = ["escalate", "bind", "impersonate"];

export function escalating({ clusterRole, role }: RulesOf): string[] {
  const problems = [
    ...placed("clusterRole", clusterRole?.rules ?? []).flatMap(({ place, rule }) =>
      found(place, escalation(rule) ?? (allows(rule, secretsEverywhere) ? secretsEverywhere.why : undefined)),
    ),
    ...placed("role", role?.rules ?? []).flatMap(({ place, rule }) => found(place, escalation(rule))),
  ];
  if (role?.namespace === accessNamespace)
    problems.push(`role.namespace ${accessNamespace} holds the accounts of others`);
  return problems;
}

function found(place: Place, why: string | undefined): string[] {
  return why === undefined ? [] : [`${place} ${why}`];
}

function escalation(rule: Rule): string | undefined {
  const { apiGroups = [], resources = [] } = rule;
  const verbs = lower(rule.verbs);
  if (apiGroups.includes("*") && resources.includes("*") && verbs.includes("*")) return "allows everything";
  const never = neverVerbs.find((verb) => verbs.includes(verb));
  if (never) return `has the verb ${never}`;
  return powers.find((power) => allows(rule, power))?.why;
}

function allows(rule: Rule, power: Power): boolean {
  const { apiGroups = [], resources = [], resourceNames = [] } = rule;
  const isIn = (wanted: readonly string[], given: readonly string[]) =>
    given.includes("*") || wanted.some((each) => given.includes(each));
  const isResource = (resource: string) => {
    const slash = resource.indexOf("/");
    return resources.includes(resource) || (slash >= 0 && resources.includes(`*${resource.slice(slash)}`));
  };
  // Objects of other names stay out of reach; none of ours is called otherwise.
  if (power === secretsEverywhere && resourceNames.length > 0 && !resourceNames.some((name) => name.startsWith("kc-")))
    return false;
  return (
    isIn(power.groups, lower(apiGroups)) &&
    (resources.includes("*") || power.resources.some(isResource)) &&
    isIn(power.verbs, lower(rule.verbs))
  );
}

function lower(texts: readonly string[]): string[] {
  return texts.map((text) => text.toLowerCase());
}
