import { describe, expect, test } from "vitest";
import { conditionsOf, discoveryFailure, type Findings } from "./conditions.ts";

const nothing: Findings = { unread: [], failures: [], remaining: [] };
const time = "2026-01-01T00:00:00Z";
const later = "2026-01-01T00:00:09Z";
const configMaps = { group: "", resource: "configmaps" };
const deployments = { group: "apps", resource: "deployments" };
const message = (findings: Findings, type: string) => {
  const found = conditionsOf(findings, undefined, time).find((condition) => condition.type === type);
  return [found?.status, found?.reason, found?.message];
};

describe("a namespace that goes", () => {
  test("says five things, all of them denials, where nothing is left", () => {
    const conditions = conditionsOf(nothing, undefined, time);
    expect(conditions.map(({ type, status }) => [type, status])).toEqual([
      ["NamespaceDeletionDiscoveryFailure", "False"],
      ["NamespaceDeletionGroupVersionParsingFailure", "False"],
      ["NamespaceDeletionContentFailure", "False"],
      ["NamespaceContentRemaining", "False"],
      ["NamespaceFinalizersRemaining", "False"],
    ]);
  });

  test("changes nothing where it has nothing new to say, so that it is not written", () => {
    const conditions = conditionsOf(nothing, undefined, time);
    expect(conditionsOf(nothing, conditions, later)).toBe(conditions);
  });

  test("names what is left, and what holds it, in order", () => {
    const remaining = [
      { kind: deployments, count: 1, finalizers: new Map([["b", 1]]) },
      {
        kind: configMaps,
        count: 3,
        finalizers: new Map([
          ["b", 2],
          ["a", 1],
        ]),
      },
    ];
    const findings = { ...nothing, remaining };
    expect(message(findings, "NamespaceContentRemaining")).toEqual([
      "True",
      "SomeResourcesRemain",
      "Some resources are remaining: configmaps. has 3 resource instances, deployments.apps has 1 resource instances",
    ]);
    expect(message(findings, "NamespaceFinalizersRemaining")).toEqual([
      "True",
      "SomeFinalizersRemain",
      "Some content in the namespace has finalizers remaining: a in 1 resource instances, b in 3 resource instances",
    ]);
  });

  test("names what could not be deleted or discovered", () => {
    const findings = { ...nothing, unread: ["x/v1", "y/v1"], failures: ["no b", "no a"] };
    expect(message(findings, "NamespaceDeletionContentFailure")).toEqual([
      "True",
      "ContentDeletionFailed",
      "Failed to delete all resource types, 2 remaining: no a, no b",
    ]);
    expect(message(findings, "NamespaceDeletionDiscoveryFailure")).toEqual([
      "True",
      "DiscoveryFailed",
      `Discovery failed for some groups, 2 failing: ${discoveryFailure(["x/v1", "y/v1"])}`,
    ]);
    expect(discoveryFailure(["x/v1"])).toBe(
      "unable to retrieve the complete list of server APIs: x/v1: stale GroupVersion discovery: x/v1",
    );
  });
});
