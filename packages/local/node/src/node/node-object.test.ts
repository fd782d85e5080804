import { parseQuantity } from "@berg/apimachinery";
import type { EngineInfo } from "@berg/local-engine";
import { describe, expect, test } from "vitest";
import { nodeConditions, nodeLabels, nodeStatus } from "./node-object.ts";

const info: EngineInfo = {
  ...{
    name: "docker",
    version: "20.10",
    architecture: "aarch64",
    rootless: false,
    cpus: 4,
    memoryBytes: 8 * 1024 ** 3,
  },
  ...{ kernel: "6.1", operatingSystem: "Debian" },
};
const machine = { ip: "192.0.2.7", storageBytes: 123_456_789_012, machineId: "m", bootId: "b" };

test("amounts are in the form in which a server keeps them", () => {
  const { capacity = {}, allocatable = {} } = nodeStatus("laptop", machine, info);
  expect(capacity).toEqual({ cpu: "4", memory: "8Gi", "ephemeral-storage": "120563270Ki", pods: "110" });
  for (const amount of [...Object.values(capacity), ...Object.values(allocatable)])
    expect(parseQuantity(amount).toString()).toBe(amount);
});

test("architectures have Go's names", () => {
  expect(nodeLabels("laptop", info)["kubernetes.io/arch"]).toBe("arm64");
  expect(nodeStatus("laptop", machine, { ...info, architecture: "riscv64" }).nodeInfo?.architecture).toBe("riscv64");
});

describe("conditions", () => {
  test("are kubelet's, and keep the time of their last change", () => {
    const first = nodeConditions(undefined, { reach: { is: "there", info }, shortage: undefined, now: 0 });
    expect(first.map(({ type, status }) => `${type}=${status}`)).toEqual([
      ...["MemoryPressure=False", "DiskPressure=False", "PIDPressure=False", "Ready=True"],
    ]);
    const later = nodeConditions(first, { reach: { is: "gone", why: "no" }, shortage: undefined, now: 60_000 });
    expect(later.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      ...[0, 0, 0, 1].map((minute) => `1970-01-01T00:0${minute}:00Z`),
    ]);
  });
});
