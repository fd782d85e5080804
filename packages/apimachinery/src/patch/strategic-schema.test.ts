import { describe, expect, test } from "vitest";
import { type FieldRule, ruleOf, strategicSchemaFor } from "./strategic-schema.ts";

describe("strategicSchemaFor", () => {
  test.each([
    { group: "", kind: "Pod", path: "spec.containers", want: { mergeKey: "name" } },
    { group: "", kind: "Pod", path: "spec.initContainers.env", want: { mergeKey: "name" } },
    { group: "", kind: "Pod", path: "spec.ephemeralContainers.ports", want: { mergeKey: "containerPort" } },
    { group: "", kind: "Pod", path: "spec.volumes", want: { mergeKey: "name", retainKeys: true } },
    { group: "", kind: "Pod", path: "spec.topologySpreadConstraints", want: { mergeKey: "topologyKey" } },
    { group: "", kind: "Pod", path: "spec.tolerations", want: {} },
    { group: "", kind: "Pod", path: "metadata.finalizers", want: { set: true } },
    { group: "", kind: "ConfigMap", path: "metadata.ownerReferences", want: { mergeKey: "uid" } },
    { group: "", kind: "Service", path: "spec.ports", want: { mergeKey: "port" } },
    { group: "apps", kind: "Deployment", path: "spec.strategy", want: { retainKeys: true } },
    { group: "apps", kind: "Deployment", path: "spec.template.spec.hostAliases", want: { mergeKey: "ip" } },
    { group: "apps", kind: "StatefulSet", path: "spec.volumeClaimTemplates", want: {} },
    {
      group: "batch",
      kind: "CronJob",
      path: "spec.jobTemplate.spec.template.spec.containers.volumeMounts",
      want: { mergeKey: "mountPath" },
    },
  ])("$kind $path", ({ group, kind, path, want }) => {
    const schema = strategicSchemaFor({ group, kind });
    const rule = path.split(".").reduce<FieldRule>((at, field) => ruleOf(at.fields, field), { fields: schema ?? {} });
    const { fields: _, ...own } = rule;
    expect(schema).toBeDefined();
    expect(own).toEqual(want);
  });

  test.each([
    { group: "berg.norelect.ch", kind: "Challenge" },
    { group: "gateway.networking.k8s.io", kind: "HTTPRoute" },
    { group: "apps", kind: "Pod" },
    { group: "", kind: "constructor" },
  ])("has none for $kind of $group", (type) => {
    expect(strategicSchemaFor(type)).toBeUndefined();
  });

  test("knows no rule for names that objects inherit", () => {
    expect(ruleOf({}, "constructor")).toEqual({});
  });
});
