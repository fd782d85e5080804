import fc from "fast-check";
import { expect, test } from "vitest";
import { normalise } from "./normalise.ts";
import type { Rule, Served } from "./rule.ts";

const served: Served = [
  { group: "", kind: "Pod", resource: "pods" },
  { group: "", kind: "Secret", resource: "secrets" },
  { group: "", kind: "Endpoints", resource: "endpoints" },
  { group: "apps", kind: "Deployment", resource: "deployments" },
  { group: "application-connector.kyma-project.io", kind: "Application", resource: "applications" },
  { group: "one.example", kind: "Thing", resource: "things" },
  { group: "two.example", kind: "Thing", resource: "thingies" },
];

const rule = (apiGroups: string[], resources: string[], verbs = ["get"]): Rule => ({ apiGroups, resources, verbs });

test.each<{ name: string; given: Rule; want: Partial<Rule>; unknown?: string[]; renamed?: string[] }>([
  {
    name: "the seed's Application: a group with its version, and a kind",
    given: rule(["application-connector.kyma-project.io/v1alpha1"], ["Application"], ["create", "get"]),
    want: rule(["application-connector.kyma-project.io"], ["applications"], ["create", "get"]),
    renamed: [
      "Application as applications",
      "application-connector.kyma-project.io/v1alpha1 as application-connector.kyma-project.io",
    ],
  },
  {
    name: "the seed's Secret in any group",
    given: rule(["*"], ["Secret"]),
    want: rule(["*"], ["secrets"]),
    renamed: ["Secret as secrets"],
  },
  { name: "what is right already", given: rule(["apps"], ["deployments"]), want: rule(["apps"], ["deployments"]) },
  {
    name: "the core group by its version",
    given: rule(["v1"], ["pods"]),
    want: rule([""], ["pods"]),
    renamed: ["v1 as the core group"],
  },
  { name: "a singular", given: rule([""], ["pod"]), want: rule([""], ["pods"]), renamed: ["pod as pods"] },
  { name: "a plural in capitals", given: rule([""], ["PODS"]), want: rule([""], ["pods"]), renamed: ["PODS as pods"] },
  {
    name: "a kind that is its own plural",
    given: rule([""], ["Endpoints"]),
    want: rule([""], ["endpoints"]),
    renamed: ["Endpoints as endpoints"],
  },
  {
    name: "a subresource of a kind",
    given: rule([""], ["Pod/log"]),
    want: rule([""], ["pods/log"]),
    renamed: ["Pod/log as pods/log"],
  },
  { name: "a subresource of everything", given: rule(["*"], ["*/scale"]), want: rule(["*"], ["*/scale"]) },
  {
    name: "verbs in capitals",
    given: rule([""], ["pods"], ["GET", "List"]),
    want: rule([""], ["pods"], ["get", "list"]),
    renamed: ["GET as get", "List as list"],
  },
  {
    name: "what is there twice",
    given: rule(["", "v1"], ["Pod", "pods"]),
    want: rule([""], ["pods"]),
    renamed: ["Pod as pods", "v1 as the core group"],
  },
  {
    name: "a kind that two groups have under other names",
    given: rule(["*"], ["Thing"]),
    want: rule(["*"], ["things", "thingies"]),
    renamed: ["Thing as things and thingies"],
  },
  {
    name: "a kind of another group is unknown, and stays",
    given: rule(["apps"], ["Secret"]),
    want: rule(["apps"], ["Secret"]),
    unknown: ["Secret (apps)"],
  },
  {
    name: "names stay, paths stand alone",
    given: { verbs: ["get"], nonResourceURLs: ["/metrics"] },
    want: { verbs: ["get"], nonResourceURLs: ["/metrics"] },
  },
])("$name", ({ given, want, unknown = [], renamed = [] }) => {
  expect(normalise([given], served)).toEqual({ rules: [want], unknown, renamed });
});

test("what is normal stays as it is", () => {
  const words = fc.constantFrom(
    "",
    "*",
    "apps",
    "apps/v1",
    "v1",
    "Pod",
    "pods",
    "Thing",
    "Secret/status",
    "*/scale",
    "GET",
  );
  const arbitrary = fc.record({
    apiGroups: fc.array(words, { minLength: 1, maxLength: 3 }),
    resources: fc.array(words, { minLength: 1, maxLength: 3 }),
    verbs: fc.array(words, { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(arbitrary, { maxLength: 4 }), (rules) => {
      const once = normalise(rules, served);
      expect(normalise(once.rules, served)).toEqual({ ...once, renamed: [] });
    }),
  );
});
