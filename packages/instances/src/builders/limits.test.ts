import { parseQuantity } from "@berg/apimachinery";
import type { LimitRange, ResourceQuota } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { limits } from "./limits.ts";
import { asYaml, blueprintOf, containerOf, everyPortType } from "./testing/blueprints.ts";

function limitsOf(...wishes: Parameters<typeof blueprintOf>) {
  const [quota, range] = limits(blueprintOf(...wishes)).map(({ manifest }) => manifest);
  return {
    hard: (quota as ResourceQuota).spec?.hard ?? {},
    range: (range as LimitRange).spec?.limits[0],
  };
}

describe("the limits of an instance", () => {
  test("one container", async () => {
    await expect(asYaml(limits(blueprintOf()))).toMatchFileSnapshot("snapshots/limits-one-container.yaml");
  });

  test("several containers, some larger than the default", async () => {
    const large = containerOf("large", [], { resourceLimits: { cpu: "2.5", memory: "2Gi" } });
    const containers = [...everyPortType(), large];
    await expect(asYaml(limits(blueprintOf({ containers })))).toMatchFileSnapshot("snapshots/limits-several.yaml");
  });

  test("every container fits twice, so that a pod can be replaced", () => {
    const large = containerOf("large", [], { resourceLimits: { cpu: "4", memory: "3Gi" } });
    const { hard } = limitsOf({ containers: [large, containerOf("small", [], { resourceLimits: { cpu: "100m" } })] });
    expect(hard).toMatchObject({ pods: "4" });
    expect(parseQuantity(hard["limits.cpu"] ?? "").milliValue()).toBeGreaterThanOrEqual(8_200n);
    expect(parseQuantity(hard["limits.memory"] ?? "").compare(parseQuantity("7Gi"))).toBe(0);
  });

  test("a container with a small limit leaves room for what its RuntimeClass adds", () => {
    const { hard } = limitsOf({ containers: [containerOf("small", [], { resourceLimits: { cpu: "100m" } })] });
    expect(hard["limits.cpu"]).toBe("1100m");
  });

  test("node ports can be put back before Kubernetes has counted the deleted ones", () => {
    expect(limitsOf({ containers: everyPortType() }).hard).toMatchObject({
      "services.nodeports": "4",
      "services.loadbalancers": "0",
    });
  });

  test("no container gets more than the largest of the Challenge, or than the default", () => {
    const small = containerOf("small", [], { resourceLimits: { cpu: "100m", memory: "1Gi" } });
    expect(limitsOf({ containers: [small] }).range?.max).toEqual({
      cpu: "1",
      memory: "1Gi",
      "ephemeral-storage": "1Gi",
    });
  });

  test("a Challenge with nothing to start", () => {
    expect(limitsOf({ containers: [] }).hard).toMatchObject({ "limits.cpu": "0", pods: "0" });
  });

  test("what is made beside the pods is not counted, so that no create waits for a count to be written", () => {
    const { hard } = limitsOf({ containers: [containerOf("web")] });
    expect(
      Object.keys(hard)
        .filter((name) => Number(hard[name]) !== 0)
        .toSorted(),
    ).toEqual(["limits.cpu", "limits.ephemeral-storage", "limits.memory", "pods"]);
  });
});
