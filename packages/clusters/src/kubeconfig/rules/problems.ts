/**
 * What is wrong with rules: those that RBAC refuses, and those with which a holder could keep, pass on or extend their access.
 * Pure. Rules are checked as the spec has them, and again in the words of the cluster: see normalise.ts.
 */
import { accessNamespace } from "../../vocabulary.ts";
import { normalise } from "./normalise.ts";
import {
  enteringPods,
  type Power,
  powersAnywhere,
  powersEverywhere,
  powersIn,
  type Right,
  readingSecrets,
  writingPods,
  writingSecrets,
} from "./powers.ts";
import { type Place, placed, type Rule, type Served } from "./rule.ts";

interface RulesOf {
  clusterRole?: { rules: readonly Rule[] };
  role?: { namespace: string; rules: readonly Rule[] };
}

/** What RBAC would not accept. */
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

/** Each rule that is refused, and why: `role.rules[0] (create rolebindings) grants the same rights to others…`. */
export function escalating({ clusterRole, role }: RulesOf): string[] {
  const rulesOf = (rules: readonly Rule[] = []) => normalise(rules, refusedKinds).rules;
  const problems = [
    ...placed("clusterRole", rulesOf(clusterRole?.rules)).flatMap(({ place, rule }) =>
      escalationsOf(place, rule, powersEverywhere),
    ),
    ...placed("role", rulesOf(role?.rules)).flatMap(({ place, rule }) =>
      escalationsOf(place, rule, powersIn(role?.namespace ?? "")),
    ),
  ];
  if (role?.namespace === accessNamespace)
    problems.push(`role.namespace ${accessNamespace} holds the accounts of all kubeconfigs: name another`);
  return problems;
}

/** The namespace of the role, if it allows to write Secrets in it. */
export function secretsWrittenIn(role: RulesOf["role"] | undefined): string | undefined {
  return role?.rules.some((rule) => allows(rule, writingSecrets)) ? role.namespace : undefined;
}

/** The namespace of the role, if it allows to run code in it, as the service accounts that are there. */
export function codeRunIn(role: RulesOf["role"] | undefined): string | undefined {
  const runsCode = (rule: Rule) => allows(rule, writingPods) || allows(rule, enteringPods);
  return role?.rules.some(runsCode) ? role.namespace : undefined;
}

/** Whether Secrets of every namespace may be read, with the credentials that are in them. */
export function readsAllSecrets(rules: readonly Rule[] = []): boolean {
  return rules.some((rule) => allows(rule, readingSecrets));
}

/** Since Kubernetes 1.36 also in parts: `impersonate:user-info` as whom, `impersonate-on:user-info:create` what for. */
const refusedVerbs = /^(escalate|bind|impersonate(-on)?(:.*)?)$/;

/** One for each rule: who changes it sees the next. */
function escalationsOf(place: Place, rule: Rule, more: readonly Power[]): string[] {
  const { apiGroups = [], resources = [], verbs } = rule;
  if (apiGroups.includes("*") && resources.includes("*") && verbs.includes("*")) return [`${place} allows everything`];
  const verb = verbs.find((each) => refusedVerbs.test(each));
  if (verb) return [`${place} has the verb ${verb}`];
  const power = [...powersAnywhere, ...more].find((each) => allows(rule, each));
  return power ? [`${place} (${excerptOf(rule, power)}) ${power.why}`] : [];
}

/** `create, patch rolebindings`: what of the rule is too much. */
function excerptOf({ resources = [], verbs }: Rule, right: Right): string {
  const of = (given: readonly string[], isToo: (text: string) => boolean) => given.filter(isToo).join(", ");
  const tooMany = of(resources, (each) => each === "*" || right.resources.some((known) => covers(each, known)));
  return `${of(verbs, (each) => each === "*" || right.verbs.includes(each))} ${tooMany}`;
}

/** Names of objects make no difference: a holder who applies can create what has such a name and does not exist yet. */
function allows({ apiGroups = [], resources = [], verbs }: Rule, right: Right): boolean {
  const isIn = (wanted: readonly string[], given: readonly string[]) =>
    given.includes("*") || wanted.some((each) => given.includes(each));
  return (
    isIn(right.groups, apiGroups) &&
    resources.some((given) => given === "*" || right.resources.some((known) => covers(given, known))) &&
    isIn(right.verbs, verbs)
  );
}

/** Whether the resource of a rule is this one: by its name, or as the same subresource of all resources. */
function covers(given: string, known: string): boolean {
  const slash = known.indexOf("/");
  return given === known || (slash >= 0 && given === `*${known.slice(slash)}`);
}

/** The kinds of what is refused: `RoleBinding` in a spec is as bad as `rolebindings`, without asking the cluster. */
const refusedKinds: Served = [...powersAnywhere, ...powersEverywhere].flatMap(({ groups, resources }) =>
  groups.flatMap((group) =>
    resources
      .map((each) => each.split("/")[0] ?? "")
      .map((resource) => ({ group, resource, kind: singularOf(resource) })),
  ),
);

function singularOf(plural: string): string {
  return plural.endsWith("ies") ? `${plural.slice(0, -3)}y` : plural.slice(0, -1);
}
