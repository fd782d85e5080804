import { parseQuantity } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { containerResources, storedQuantity } from "./resources.ts";

const defaults = {
  limits: { cpu: "1", memory: "512Mi", "ephemeral-storage": "1Gi" },
  requests: { cpu: "100m", memory: "128Mi", "ephemeral-storage": "64Mi" },
};

/** `limit/request` of the processor. */
function cpu(limit?: string | number, request?: string | number) {
  const resources = containerResources(
    {
      ...(limit !== undefined && { resourceLimits: { cpu: limit } }),
      ...(request !== undefined && { resourceRequests: { cpu: request } }),
    },
    defaults,
  );
  return `${resources.limits.cpu}/${resources.requests.cpu}`;
}

describe("what a container may use", () => {
  test("is the organiser's default where the author says nothing", () => {
    expect(containerResources({}, defaults)).toEqual(defaults);
  });

  test("falls back key by key", () => {
    expect(
      containerResources({ resourceLimits: { cpu: "2" }, resourceRequests: { memory: "256Mi" } }, defaults),
    ).toEqual({
      limits: { ...defaults.limits, cpu: "2" },
      requests: { ...defaults.requests, memory: "256Mi" },
    });
  });

  test("a limit alone does not raise the request", () => {
    expect(cpu("4")).toBe("4/100m");
  });

  test("a default request is capped at the author's limit", () => {
    expect(cpu("50m")).toBe("50m/50m");
  });

  test("a default limit is raised to the author's request", () => {
    expect(cpu(undefined, "3")).toBe("3/3");
  });

  test("what the author wrote stays, even where Kubernetes will refuse it", () => {
    expect(cpu("100m", "200m")).toBe("100m/200m");
    expect(cpu("0", "0")).toBe("0/0");
  });

  test("defaults that contradict each other do not get in the way", () => {
    const { requests } = containerResources(
      {},
      { limits: { ...defaults.limits, cpu: "50m" }, requests: defaults.requests },
    );
    expect(requests.cpu).toBe("50m");
  });

  test("amounts are written as the API server returns them", () => {
    expect(cpu("0.5", 0.25)).toBe("500m/250m");
    expect(cpu("1.500", 1)).toBe("1500m/1");
    expect(cpu("1000m", "0.0001")).toBe("1/1m");
    expect(cpu(2)).toBe("2/100m");
    const { limits } = containerResources({ resourceLimits: { memory: "1024Mi", "ephemeral-storage": 1e9 } }, defaults);
    expect(limits).toMatchObject({ memory: "1Gi", "ephemeral-storage": "1G" });
  });

  test("a written amount is a fixed point: parsed and written again it is the same", () => {
    const suffix = fc.constantFrom(
      "",
      "n",
      "u",
      "m",
      "k",
      "M",
      "G",
      "T",
      "P",
      "E",
      "Ki",
      "Mi",
      "Gi",
      "Ti",
      "Pi",
      "Ei",
      "e3",
      "e-7",
    );
    fc.assert(
      fc.property(fc.nat(99_999), fc.constantFrom("", ".5", ".001", ".1234567"), suffix, (whole, fraction, unit) => {
        const given = parseQuantity(`${whole}${fraction}${unit}`);
        const written = storedQuantity(given);
        expect(storedQuantity(parseQuantity(written))).toBe(written);
        expect(parseQuantity(written).compare(given)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
