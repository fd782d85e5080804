/**
 * Rules as RBAC understands them. RBAC accepts any text, and grants nothing for one that it does not know: a group with a
 * version, a kind in place of its plural, a verb in capitals. Pure.
 *
 *     application-connector.kyma-project.io/v1alpha1  Application  →  application-connector.kyma-project.io  applications
 */
import type { Rule, Served } from "./rule.ts";

interface Normalised {
  rules: Rule[];
  /** What the cluster does not serve: it is granted as it stands, and may come later. */
  unknown: string[];
  /** What stands for something else than it says: `Application as applications`. */
  renamed: string[];
}

interface Notes {
  unknown: Set<string>;
  renamed: Set<string>;
}

export function normalise(rules: readonly Rule[], served: Served): Normalised {
  const notes: Notes = { unknown: new Set(), renamed: new Set() };
  const normal = rules.map((rule) => normaliseRule(rule, served, notes));
  return { rules: normal, unknown: [...notes.unknown].sort(), renamed: [...notes.renamed].sort() };
}

function normaliseRule(rule: Rule, served: Served, { unknown, renamed }: Notes): Rule {
  const verbs = translate(rule.verbs, (verb) => [verb.toLowerCase()], renamed);
  const { nonResourceURLs = [], resourceNames = [] } = rule;
  if (nonResourceURLs.length > 0) return { nonResourceURLs: distinct(nonResourceURLs), verbs };
  const apiGroups = translate(rule.apiGroups ?? [], (group) => [withoutVersion(group)], renamed);
  const inGroups = served.filter(({ group }) => apiGroups.includes("*") || apiGroups.includes(group));
  const pluralsFor = (resource: string) => {
    const plurals = pluralsOf(resource, inGroups);
    if (!plurals) unknown.add(namedIn(resource, apiGroups));
    return plurals ?? [resource];
  };
  const resources = translate(rule.resources ?? [], pluralsFor, renamed);
  return { apiGroups, resources, ...(resourceNames.length > 0 && { resourceNames: distinct(resourceNames) }), verbs };
}

function translate(words: readonly string[], meaning: (word: string) => string[], renamed: Set<string>): string[] {
  const normal = words.flatMap((word) => {
    const meant = meaning(word);
    const isOther = meant.length !== 1 || meant[0] !== word;
    if (isOther) renamed.add(`${word} as ${meant.map((each) => each || "the core group").join(" and ")}`);
    return meant;
  });
  return distinct(normal);
}

/** `apps/v1` and `apps` are the group apps; `v1` is how the core group writes itself. */
function withoutVersion(apiGroup: string): string {
  const group = apiGroup.toLowerCase();
  if (/^v[0-9]+((alpha|beta)[0-9]+)?$/.test(group)) return "";
  return group.includes("/") ? group.slice(0, group.indexOf("/")) : group;
}

/** The plurals that a resource, a kind or a singular stands for; undefined where nothing is served under it. */
function pluralsOf(text: string, served: Served): string[] | undefined {
  const slash = text.indexOf("/");
  const [base, sub] = slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash).toLowerCase()];
  if (base === "*") return [`*${sub}`];
  if (served.some(({ resource }) => resource === base)) return [`${base}${sub}`];
  const name = base.toLowerCase();
  const fitting = served.filter(({ kind, resource }) => kind.toLowerCase() === name || resource === name);
  return fitting.length === 0 ? undefined : distinct(fitting.map(({ resource }) => `${resource}${sub}`));
}

function namedIn(resource: string, groups: readonly string[]): string {
  const named = groups.filter((group) => group !== "" && group !== "*");
  return named.length === 0 ? resource : `${resource} (${named.join(", ")})`;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
