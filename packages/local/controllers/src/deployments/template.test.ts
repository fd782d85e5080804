import fc from "fast-check";
import { expect, test } from "vitest";
import { currentAnnotations } from "./revisions.ts";
import { hashLabel, hashOf, isSameTemplate, replicaSetName } from "./template.ts";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "web:1" }] } };

test("the hash label makes no difference", () => {
  const labelled = { ...template, metadata: { labels: { app: "web", [hashLabel]: "abc" } } };
  expect(isSameTemplate(template, labelled)).toBe(true);
  expect(isSameTemplate(template, { ...template, metadata: { labels: { app: "other" } } })).toBe(false);
});

test("the hash is the same in any order of fields, and another with each collision", () => {
  const turned = { spec: template.spec, metadata: template.metadata };
  expect(hashOf(turned, 0)).toBe(hashOf(template, 0));
  expect(new Set([0, 1, 2].map((collisions) => hashOf(template, collisions))).size).toBe(3);
});

test("a hash has safe letters only, and a name always fits", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1, maxLength: 253 }), (image, name) => {
      const hash = hashOf({ spec: { containers: [{ name: "main", image }] } }, 0);
      expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
      expect(replicaSetName(name, hash).length).toBeLessThanOrEqual(253);
    }),
  );
});

const revision = "deployment.kubernetes.io/revision";
const history = "deployment.kubernetes.io/revision-history";
const withRevision = (number: string) => ({ metadata: { name: "x", annotations: { [revision]: number } } }) as never;

test.each([
  ["the first is 1", undefined, [], { [revision]: "1" }],
  ["the next is one higher than all", undefined, ["3", "nonsense", "7"], { [revision]: "8" }],
  ["the newest keeps its own", { [revision]: "3" }, ["2"], { [revision]: "3" }],
  ["it never goes back", { [revision]: "9" }, ["2"], { [revision]: "9" }],
  [
    "a rollback is a new revision, and the old one stays known",
    { [revision]: "1" },
    ["2"],
    { [revision]: "3", [history]: "1" },
  ],
  ["and so on", { [revision]: "3", [history]: "1" }, ["4"], { [revision]: "5", [history]: "1,3" }],
])("revisions: %s", (_, had, old, wanted) => {
  const deployment = { metadata: { name: "web" } } as never;
  expect(currentAnnotations(deployment, had as never, old.map(withRevision))).toEqual(wanted);
});

test("the Deployment's annotations are copied, but not its bookkeeping", () => {
  const annotations = {
    "kubernetes.io/change-cause": "why not",
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
    [revision]: "7",
  };
  const deployment = { metadata: { name: "web", annotations } } as never;
  expect(currentAnnotations(deployment, { own: "x" }, [])).toEqual({
    own: "x",
    "kubernetes.io/change-cause": "why not",
    [revision]: "1",
  });
});
