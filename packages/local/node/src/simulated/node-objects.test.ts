import { describe, expect, test } from "vitest";
import { healthConditions, isReady, makeLease, makeNode } from "./node-objects.ts";

const birth = Date.parse("2026-01-01T00:00:00Z");
const node = makeNode("simulated-1", "10.0.0.1", birth);

describe("a node", () => {
  test("is ready from the start", () => {
    expect(isReady(node)).toBe(true);
    expect(healthConditions(node, true, birth + 1)).toBeUndefined();
  });

  test("that goes silent is unknown in all that its kubelet told, and comes back", () => {
    const more = { type: "NetworkUnavailable", status: "False" };
    const conditions = [more, ...(node.status?.conditions ?? [])];
    const silent = healthConditions({ ...node, status: { conditions } }, false, birth + 60_000);
    expect(silent).toContainEqual(more);
    expect(silent?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      "NetworkUnavailable=False",
      "MemoryPressure=Unknown",
      "DiskPressure=Unknown",
      "PIDPressure=Unknown",
      "Ready=Unknown",
    ]);
    const dead = { ...node, status: { conditions: silent ?? [] } };
    expect(healthConditions(dead, false, birth + 61_000)).toBeUndefined();
    expect(healthConditions(dead, true, birth + 90_000)).toContainEqual({
      type: "Ready",
      status: "True",
      reason: "KubeletReady",
      message: "kubelet is posting ready status",
      lastHeartbeatTime: "2026-01-01T00:01:30Z",
      lastTransitionTime: "2026-01-01T00:01:30Z",
    });
  });

  test("owns its lease", () => {
    expect(makeLease({ metadata: { name: "simulated-1", uid: "u-1" } }, birth)).toMatchObject({
      metadata: { namespace: "kube-node-lease", ownerReferences: [{ kind: "Node", uid: "u-1" }] },
      spec: { holderIdentity: "simulated-1", renewTime: "2026-01-01T00:00:00.000000Z" },
    });
  });
});
