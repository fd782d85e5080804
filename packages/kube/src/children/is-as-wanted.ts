/**
 * Whether a child still is as its controller made it: everything that was set stands there as it was set. What others
 * added (defaults, labels, a status) is theirs, except where server-side apply would take it away again:
 *
 * - in a selector, which is one thing: one label more chooses other pods;
 * - in the spec of a network policy: whatever is added there by hand opens or closes something.
 *
 * Values are compared as they are written, so set them in the form in which the server returns them ("500m", not "0.5").
 */
import { type KubeObject, parseApiVersion, type Stored, strategicSchemaFor } from "@berg/apimachinery";

/** `isAsWanted({ metadata: { name: "flag" }, data: { flag } }, found)` */
export function isAsWanted(wanted: object, found: Stored<KubeObject>): boolean {
  return holds(wanted, found, { fields: rulesFor(found) });
}

/** What of `found` is compared with `wanted`: as long as it does not change, neither does the answer. */
export function comparedPart(wanted: object, found: Stored<KubeObject>): unknown {
  return part(wanted, found, { fields: rulesFor(found) });
}

// THE COMPARISON

function holds(wanted: unknown, found: unknown, rule: Rule): boolean {
  // The server may drop what is empty. Who sets it says that nothing is to be there.
  if (isEmpty(wanted)) return isEmpty(found);
  if (Array.isArray(wanted)) return Array.isArray(found) && listHolds(wanted, found, rule);
  if (!isFields(wanted)) return wanted === found;
  if (!isFields(found)) return false;
  for (const [field, value] of Object.entries(wanted)) {
    if (value !== undefined && !holds(value, fieldOf(found, field), ruleOf(rule, field))) return false;
  }
  return !rule.whole || Object.keys(found).every((field) => isEmpty(found[field]) || !isEmpty(fieldOf(wanted, field)));
}

function listHolds(wanted: readonly unknown[], found: readonly unknown[], rule: Rule): boolean {
  const { fields, mergeKey, set, whole } = rule;
  if (!whole && set) return wanted.every((item) => found.includes(item));
  // A port may be there twice, for TCP and for UDP, so the key alone does not tell: one of those that are there must fit.
  if (!whole && mergeKey) return wanted.every((item) => found.some((other) => holds(item, other, { fields })));
  return wanted.length === found.length && wanted.every((item, at) => holds(item, found[at], { fields, whole }));
}

function part(wanted: unknown, found: unknown, rule: Rule): unknown {
  if (rule.whole || !isFields(wanted) || !isFields(found)) return found;
  return Object.keys(wanted).map((field) => part(wanted[field], fieldOf(found, field), ruleOf(rule, field)));
}

// WHAT IS KNOWN OF A FIELD

interface Rule {
  readonly fields?: Rules | undefined;
  readonly mergeKey?: string;
  readonly set?: true;
  readonly replace?: true;
  /** Nothing may stand beside what is wanted, at any depth. */
  readonly whole?: boolean | undefined;
}

interface Rules {
  readonly [field: string]: Rule;
}

// What every kind has: finalizers are a set, and owners are told apart by their UID.
const rulesOfAnyKind: Rules = strategicSchemaFor({ group: "", kind: "ConfigMap" }) ?? {};

function rulesFor({ apiVersion, kind }: KubeObject): Rules {
  if (kind.endsWith("NetworkPolicy")) return { ...rulesOfAnyKind, spec: { whole: true } };
  return strategicSchemaFor({ group: parseApiVersion(apiVersion).group, kind }) ?? rulesOfAnyKind;
}

function ruleOf({ fields, whole }: Rule, field: string): Rule {
  const rule = fields && Object.hasOwn(fields, field) ? (fields[field] as Rule) : {};
  return whole || rule.replace || isSelector.test(field) ? { ...rule, whole: true } : rule;
}

const isSelector = /(^s|S)elector$/;

// PLAIN JSON

type Fields = { readonly [field: string]: unknown };

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldOf(object: Fields, field: string): unknown {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.values(value).every((inner) => inner === undefined);
}
