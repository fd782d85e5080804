import fc from "fast-check";
import { expect, test } from "vitest";
import { compareRules, type Permission } from "./rule-coverage.ts";
import type { PolicyRule } from "./rules.ts";

/** Kubernetes' own comparison, which writes out every combination: component-helpers/auth/rbac/validation. */
function missingByExpansion(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): Permission[] {
  return wanted.flatMap(expanded).filter((permission) => !held.some((rule) => coversOne(rule, permission)));
}

function expanded({ verbs = [], apiGroups = [], resources = [], resourceNames = [], ...rule }: PolicyRule) {
  const found: Permission[] = [];
  for (const apiGroup of apiGroups)
    for (const resource of resources)
      for (const verb of verbs)
        if (resourceNames.length === 0) found.push({ verb, apiGroup, resource });
        else for (const resourceName of resourceNames) found.push({ verb, apiGroup, resource, resourceName });
  for (const nonResourceURL of rule.nonResourceURLs ?? [])
    for (const verb of verbs) found.push({ verb, nonResourceURL });
  return found;
}

function coversOne(rule: PolicyRule, { verb, apiGroup, resource, resourceName, nonResourceURL }: Permission): boolean {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const has = (values: readonly string[], value: string) => values.includes("*") || values.includes(value);
  const hasResource = (value: string) =>
    has(resources, value) || (value.includes("/") && resources.includes(`*${value.slice(value.indexOf("/"))}`));
  const hasUrl = (value: string) =>
    nonResourceURLs.some((url) => url === value || (url.endsWith("*") && value.startsWith(url.replace(/\*+$/, ""))));
  return (
    has(verbs, verb) &&
    (apiGroup === undefined || has(apiGroups, apiGroup)) &&
    (resource === undefined || hasResource(resource)) &&
    (nonResourceURL === undefined || hasUrl(nonResourceURL)) &&
    (resourceNames.length === 0 || (resourceName !== undefined && resourceNames.includes(resourceName)))
  );
}

const some = (...values: string[]) => fc.array(fc.constantFrom(...values), { maxLength: 4 });
const rules = fc.array(
  fc.record(
    {
      verbs: some("get", "list", "delete", "*"),
      apiGroups: some("", "apps", "batch", "*"),
      resources: some("pods", "pods/log", "jobs/log", "jobs/log/x", "*/log", "jobs", "*"),
      resourceNames: some("a", "b", "c"),
      nonResourceURLs: some("/a", "/a/b", "/a/*", "/b*", "*", "**"),
    },
    { requiredKeys: ["verbs"] },
  ),
  { maxLength: 5 },
);

const property = fc.property(rules, rules, (held, wanted) => {
  const all = missingByExpansion(held, wanted);
  const { missing, isCut, isTooLarge } = compareRules(held, wanted);
  expect({ isCut, isTooLarge }).toEqual({ isCut: missing.length < all.length, isTooLarge: false });
  if (!isCut) expect(missing).toEqual(all);
  else expect(all).toEqual(expect.arrayContaining(missing));
});

test("finds the permissions that Kubernetes' expansion finds, in its order", () => {
  fc.assert(property, { numRuns: 2_000 });
});

test("a list that is cut contains missing permissions only", () => {
  const four = (value: string) => [value, value, value, value];
  const names = { apiGroups: four(""), resourceNames: four("a") };
  const wanted = [
    { verbs: four("get"), resources: four("pods"), ...names },
    { verbs: four("get"), resources: ["pods/log", "pods", "pods", "pods/log"], ...names },
  ];
  fc.assert(property, { numRuns: 1, examples: [[[{ verbs: [], resources: ["pods"] }], wanted]] });
});

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const huge = { verbs: many("v", 20_000), apiGroups: many("g", 20_000), resources: many("r", 20_000) };

test("a rule with 8 × 10¹² combinations is covered by rules with as many", () => {
  const half = huge.verbs.length / 2;
  const held = [
    { ...huge, verbs: huge.verbs.slice(0, half) },
    { ...huge, verbs: huge.verbs.slice(half - 1) },
  ];
  expect(compareRules(held, [huge])).toEqual({ missing: [], isCut: false, isTooLarge: false });
  expect(compareRules([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }], [huge]).missing).toEqual([]);
});

test("of very many missing permissions the first are found", () => {
  const { missing, isCut } = compareRules([{ verbs: ["v0"], apiGroups: ["*"], resources: ["*"] }], [huge]);
  expect(missing.slice(0, 2)).toEqual([
    { verb: "v1", apiGroup: "g0", resource: "r0" },
    { verb: "v2", apiGroup: "g0", resource: "r0" },
  ]);
  expect(missing.length).toBeLessThanOrEqual(500);
  expect(isCut).toBe(true);
});

test("long values count by their length", () => {
  const long = Array.from({ length: 100 }, (_, i) => `${i}`.padEnd(10_000));
  const { missing, isCut } = compareRules([], [{ verbs: long, apiGroups: [""], resources: ["pods"] }]);
  expect(missing.length).toBeLessThan(10);
  expect(isCut).toBe(true);
});

test("gives up where held rules differ in too many ways", () => {
  const values = many("x", 300);
  // Each value of each list is covered by other rules, and together they cover everything.
  const held = values.flatMap((one) => [
    { verbs: [one], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], apiGroups: [one], resources: ["*"] },
    { verbs: ["*"], apiGroups: ["*"], resources: [one] },
  ]);
  const wanted = [{ verbs: values, apiGroups: values, resources: values }];
  expect(compareRules(held, wanted)).toEqual({ missing: [], isCut: true, isTooLarge: true });
  const paths = many("/", 5_000);
  const urls = [{ verbs: ["get"], nonResourceURLs: paths }];
  expect(compareRules(urls, urls).isTooLarge).toBe(true);
});
