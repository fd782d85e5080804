import { isLabelValue } from "@berg/apimachinery";
import { components } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { isOurs, marks } from "./marks.ts";
import { blueprintOf } from "./testing/blueprints.ts";

describe("marks", () => {
  test("say who manages the object, for which instance of which Challenge, and what it is", () => {
    expect(marks(blueprintOf(), components.service, "web")).toEqual({
      labels: {
        "app.kubernetes.io/managed-by": "berg",
        "app.kubernetes.io/component": "challenge-service",
        "berg.norelect.ch/challenge": "cookie-jar",
        "berg.norelect.ch/challenge-namespace": "berg",
        "berg.norelect.ch/owner-id": "7d9f6a52-54c1-4f0e-8a53-0e6b3a1c9d20",
        "berg.norelect.ch/instance-id": "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d",
        "berg.norelect.ch/instance-uid": "2f1c7b7e-94f4-4c59-8d0e-51b7a0c6f3aa",
        "berg.norelect.ch/container": "web",
      },
    });
  });

  test("name no container on what belongs to the whole instance", () => {
    expect(marks(blueprintOf(), components.limits).labels).not.toHaveProperty("berg.norelect.ch/container");
  });

  test("keep the whole name of a Challenge in an annotation where a label has no room for it", () => {
    const challengeName = `${"c".repeat(51)}..${"d".repeat(11)}`;
    const { labels, annotations } = marks(blueprintOf({ challengeName }), components.namespace);
    const label = labels["berg.norelect.ch/challenge"] ?? "";
    expect(isLabelValue(label)).toBe(true);
    expect(label).toMatch(/^c{51}-[0-9a-f]{10}$/);
    expect(annotations).toEqual({ "berg.norelect.ch/challenge-name": challengeName });
  });
});

describe("an object is ours", () => {
  const blueprint = blueprintOf();
  const { uid } = blueprint.instance;
  const labelled = (labels?: Record<string, string>) => ({ metadata: { name: "x", ...(labels && { labels }) } });
  const ours = marks(blueprint, components.namespace).labels;

  test("where it carries our mark and the UID of the instance", () => {
    expect(isOurs(labelled(ours), uid)).toBe(true);
  });

  test.for([
    { why: "has no labels", labels: undefined },
    {
      why: "belongs to another instance of the same owner",
      labels: { ...ours, "berg.norelect.ch/instance-uid": "other" },
    },
    { why: "is managed by another program", labels: { ...ours, "app.kubernetes.io/managed-by": "Helm" } },
    { why: "has our mark alone", labels: { "app.kubernetes.io/managed-by": "berg" } },
  ])("but not where it $why", ({ labels }) => {
    expect(isOurs(labelled(labels), uid)).toBe(false);
  });
});
