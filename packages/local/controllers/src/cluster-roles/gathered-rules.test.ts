import { expect, test } from "vitest";
import { type ClusterRole, gatheredRules } from "./gathered-rules.ts";

const to = (role: string) => ({ [`to-${role}`]: "true" });
const rule = (resource: string) => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
const role = (name: string, labels: Record<string, string>, ...resources: string[]) =>
  ({ metadata: { name, labels }, rules: resources.map(rule) }) as unknown as Parameters<typeof gatheredRules>[0];
const gathering = (...selectors: NonNullable<ClusterRole["aggregationRule"]>["clusterRoleSelectors"] & object) => ({
  ...role("all", to("view"), "old"),
  aggregationRule: { clusterRoleSelectors: selectors },
});

test("rules of all that are selected, in the order of their names, each once", () => {
  const all = [role("b", to("view"), "pods", "secrets"), role("c", to("edit"), "nodes"), role("a", to("view"), "pods")];
  expect(gatheredRules(gathering({ matchLabels: to("view") }), all)).toEqual([rule("pods"), rule("secrets")]);
});

test("selector by selector", () => {
  const all = [role("a", to("edit"), "nodes"), role("b", to("view"), "pods")];
  const selectors = [{ matchLabels: to("view") }, { matchLabels: to("edit") }];
  expect(gatheredRules(gathering(...selectors), all)).toEqual([rule("pods"), rule("nodes")]);
});

test("never its own, and none where nothing is selected", () => {
  const own = gathering({ matchLabels: to("view") });
  expect(gatheredRules(own, [own])).toEqual([]);
  expect(gatheredRules(gathering(), [role("a", to("view"), "pods")])).toEqual([]);
});

test("an empty selector selects all; roles without rules have none", () => {
  const nothing = { ...role("a", {}), rules: null };
  expect(gatheredRules(gathering({}), [nothing, role("b", {}, "pods")])).toEqual([rule("pods")]);
});
