import { describe, expect, test } from "vitest";
import { builtIn } from "../kinds/built-in.ts";
import { groupDiscoveryList } from "./aggregated.ts";
import { byPriority, groupsOf } from "./groups.ts";
import { healthAnswer } from "./health.ts";
import { apiResourceList } from "./legacy.ts";

const kind = (group: string, version: string, resource: string, more = {}) =>
  builtIn({ group, version, resource, kind: resource, schema: {}, columns: [], ...more });

test("versions come in the order in which Kubernetes prefers them", () => {
  const sorted = ["foo10", "v1", "v2", "v10", "v1alpha2", "v2beta1", "v1beta2", "v1beta10", "foo1"].sort(byPriority);
  expect(sorted).toEqual(["v10", "v2", "v1", "v2beta1", "v1beta10", "v1beta2", "v1alpha2", "foo1", "foo10"]);
});

test("groups that come with Kubernetes stand first, custom ones by name", () => {
  const all = [
    kind("z.io", "v1", "z"),
    kind("b.io", "v1", "b"),
    kind("policy", "v1", "p"),
    kind("apps", "v1", "a"),
    kind("", "v1", "c"),
  ];
  expect(groupsOf(all).map(({ name }) => name)).toEqual(["", "apps", "policy", "b.io", "z.io"]);
});

test("a status is told with the subresources, those of built-in kinds by name", () => {
  const scale = { group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get"] };
  const more = { subresources: { scale, attach: { ...scale, group: "apps" } }, strategy: { hasStatus: true } };
  const names = (group: string) =>
    groupsOf([kind(group, "v1", "things", more)]).flatMap(({ versions }) =>
      versions.flatMap((version) => apiResourceList(version).resources.map(({ name }) => name)),
    );
  expect(names("apps")).toEqual(["things", "things/attach", "things/scale", "things/status"]);
  expect(names("x.io")).toEqual(["things", "things/status", "things/scale", "things/attach"]);
});

test("aggregated discovery says of built-in kinds only what does not follow from their place", () => {
  const kinds = (group: string) =>
    groupDiscoveryList(groupsOf([kind(group, "v1", "things")]), "v2").items[0]?.versions[0]?.resources[0]?.responseKind;
  expect(kinds("apps")).toEqual({ group: "", version: "", kind: "things" });
  expect(kinds("x.io")).toEqual({ group: "x.io", version: "v1", kind: "things" });
});

describe("health", () => {
  const checks = { ping: () => true, store: () => false };
  test.each([
    ["/healthz", "", { ping: () => true }, { code: 200, text: "ok" }],
    ["/readyz", "verbose", { ping: () => true }, { code: 200, text: "[+]ping ok\nreadyz check passed\n" }],
    ["/livez", "", checks, { code: 500, text: "[+]ping ok\n[-]store failed: reason withheld\nlivez check failed\n" }],
    ["/livez", "exclude=store", checks, { code: 200, text: "ok" }],
    [
      "/livez",
      "exclude=store&verbose",
      checks,
      { code: 200, text: "[+]ping ok\n[+]store excluded: ok\nlivez check passed\n" },
    ],
    ["/readyz/ping", "", checks, { code: 200, text: "ok" }],
    ["/readyz/store", "", checks, { code: 500, text: "internal server error: check failed\n" }],
    ["/readyz/toString", "", checks, { code: 404, text: "404 page not found\n" }],
    ["/health", "", checks, undefined],
  ])("%s?%s", (path, query, some, wanted) => {
    expect(healthAnswer(path, new URLSearchParams(query), some)).toEqual(wanted);
  });
});
