import { describe, expect, test } from "vitest";
import { endpointEnv } from "./endpoints.ts";
import { flagObjects } from "./flag-objects.ts";
import { asYaml, blueprintOf, containerOf } from "./testing/blueprints.ts";
import { workloadCases } from "./testing/workload-cases.ts";
import { workloads } from "./workloads.ts";

describe("what runs an instance", () => {
  test.each(Object.entries(workloadCases))("%s", async (name, blueprint) => {
    const children = [...flagObjects(blueprint), ...workloads(blueprint, endpointEnv(blueprint))];
    await expect(asYaml(children)).toMatchFileSnapshot(`snapshots/workload-${name}.yaml`);
  });
});

test("every budget is there before the first Deployment", () => {
  const blueprint = blueprintOf({ containers: [containerOf("a"), containerOf("b")] });
  const made = workloads(blueprint, []).map(({ type, manifest }) => [type.kind, manifest.metadata.name]);
  expect(made).toEqual([
    ["PodDisruptionBudget", "a"],
    ["PodDisruptionBudget", "b"],
    ["Deployment", "a"],
    ["Deployment", "b"],
  ]);
});

test("a challenge without containers runs nothing", () => {
  const blueprint = blueprintOf({ containers: [] });
  expect([...flagObjects(blueprint), ...workloads(blueprint, [])]).toEqual([]);
});
