import type { Node, Pod } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { freeShare, misfitOf, refusal } from "./fit.ts";
import { requestsOf } from "./requests.ts";
import { Rooms } from "./rooms.ts";

const node = (spec: object = {}, ready = "True") =>
  ({
    metadata: { name: "n1", labels: { disk: "ssd", cores: "8" } },
    spec,
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "3" }, conditions: [{ type: "Ready", status: ready }] },
  }) as unknown as Node;
const asking = (requests: object) => ({ containers: [{ name: "main", resources: { requests } }] });
const pod = (spec: object = {}) => ({ metadata: { name: "p" }, spec: { containers: [], ...spec } }) as unknown as Pod;
const onPort = (hostPort: number, hostIP?: string) =>
  pod({ containers: [{ name: "main", ports: [{ containerPort: 80, hostPort, ...(hostIP && { hostIP }) }] }] });
const affinity = (...nodeSelectorTerms: object[]) =>
  pod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } });
const expression = (operator: string, key = "cores", ...values: string[]) => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }],
});
const why = (pod: Pod, on = node(), rooms = new Rooms()) => misfitOf(pod, on, rooms.taken("n1"))?.reasons.join();
const taint = (effect: string, key = "for", value = "others") => node({ taints: [{ key, value, effect }] });
const tolerating = (...tolerations: object[]) => pod({ tolerations });
const pressure = { type: "DiskPressure", status: "True" };
const full = { ...node(), status: { ...node().status, conditions: [...(node().status?.conditions ?? []), pressure] } };
const tainted = "node(s) had untolerated taint(s)";
const unwanted = "node(s) didn't match Pod's node affinity/selector";

describe("a pod on a node", () => {
  test.each<[string, Pod, Node, string | undefined]>([
    ["without wishes", pod(), node(), undefined],
    ["cordoned", pod(), node({ unschedulable: true }), "node(s) were unschedulable"],
    ["cordoned, tolerated", tolerating({ operator: "Exists" }), node({ unschedulable: true }), undefined],
    ["not ready", pod(), node({}, "Unknown"), tainted],
    [
      "ready again, with the taint of its first moment",
      pod(),
      taint("NoSchedule", "node.kubernetes.io/not-ready", ""),
      undefined,
    ],
    ["with a full disk", pod(), full, "node(s) had disk pressure"],
    ["with a full disk, tolerated", tolerating({ operator: "Exists" }), full, undefined],
    ["tainted", pod(), taint("NoSchedule"), tainted],
    ["tainted softly", pod(), taint("PreferNoSchedule"), undefined],
    ["tolerated by value", tolerating({ key: "for", value: "others" }), taint("NoExecute"), undefined],
    ["tolerated by another value", tolerating({ key: "for", value: "me" }), taint("NoExecute"), tainted],
    [
      "tolerated for another effect",
      tolerating({ operator: "Exists", effect: "NoSchedule" }),
      taint("NoExecute"),
      tainted,
    ],
    ["selected", pod({ nodeSelector: { disk: "ssd" } }), node(), undefined],
    ["not selected", pod({ nodeSelector: { disk: "hdd" } }), node(), unwanted],
    ["by an expression", affinity(expression("Gt", "cores", "4")), node(), undefined],
    ["by the second of two terms", affinity(expression("Exists", "gpu"), expression("Exists")), node(), undefined],
    ["by none", affinity(expression("DoesNotExist")), node(), unwanted],
    ["by an empty term", affinity({}), node(), unwanted],
    [
      "by name",
      affinity({ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }),
      node(),
      undefined,
    ],
    [
      "by another name",
      affinity({ matchFields: [{ key: "metadata.name", operator: "In", values: ["n2"] }] }),
      node(),
      unwanted,
    ],
    ["too big", pod(asking({ cpu: "4001m", memory: "9Gi" })), node(), "Insufficient cpu,Insufficient memory"],
    ["just right", pod(asking({ cpu: "4", memory: "8Gi" })), node(), undefined],
    ["asking for what is not there", pod(asking({ "example.com/gpu": "1" })), node(), "Insufficient example.com/gpu"],
  ])("%s", (_, pod, node, wanted) => expect(why(pod, node)).toBe(wanted));
});

describe("beside others", () => {
  test("room is taken, and free again when they go or end", () => {
    const rooms = new Rooms();
    rooms.see("a", pod({ nodeName: "n1", ...asking({ cpu: "3" }) }));
    const big = pod(asking({ cpu: "2" }));
    expect(misfitOf(big, node(), rooms.taken("n1"))).toEqual({ reasons: ["Insufficient cpu"], isForNow: true });
    expect(rooms.see("a", { ...pod({ nodeName: "n1" }), status: { phase: "Succeeded" } })).toBe(true);
    expect(why(big, node(), rooms)).toBeUndefined();
    expect(rooms.remove("a")).toBe(false);
  });
  test("one that is on its way has its room, until its own event repeats it", () => {
    const rooms = new Rooms();
    rooms.place("a", "n1", pod(asking({ cpu: "3" })));
    rooms.see("a", pod(asking({ cpu: "3" })));
    rooms.see("a", pod({ nodeName: "n1", ...asking({ cpu: "3" }) }));
    expect(rooms.taken("n1")).toMatchObject({ pods: 1, amounts: { cpu: 3000 } });
  });
  test("a node takes so many pods and no more", () => {
    const rooms = new Rooms();
    for (const uid of ["a", "b", "c"]) rooms.place(uid, "n1", pod());
    expect(why(pod(), node(), rooms)).toBe("Too many pods");
  });
  test.each([
    [onPort(80), true],
    [onPort(81), false],
    [onPort(80, "10.0.0.1"), true],
  ])("ports %#", (wanted, isTaken) => {
    const rooms = new Rooms();
    rooms.place("a", "n1", onPort(80));
    expect(why(wanted, node(), rooms) !== undefined).toBe(isTaken);
    rooms.remove("a");
    expect(why(wanted, node(), rooms)).toBeUndefined();
  });
  test("two addresses have a port each", () => {
    const rooms = new Rooms();
    rooms.place("a", "n1", onPort(80, "10.0.0.1"));
    expect(why(onPort(80, "10.0.0.2"), node(), rooms)).toBeUndefined();
  });
  test("the emptier node is the better one, even among pods that ask for nothing", () => {
    const rooms = new Rooms();
    rooms.place("a", "n1", pod());
    expect(freeShare(pod(), node(), rooms.taken("n1"))).toBeLessThan(freeShare(pod(), node(), rooms.taken("n2")));
  });
});

test("a pod asks for what its containers need at the worst moment, and its overhead", () => {
  const container = (cpu: string, restartPolicy?: string) => ({ restartPolicy, resources: { requests: { cpu } } });
  const spec = {
    initContainers: [container("1", "Always"), container("5"), container("2", "Always")],
    containers: [container("1"), container("500m")],
    overhead: { cpu: "10m" },
  };
  expect(requestsOf(pod(spec))).toEqual({ cpu: 6010 });
  expect(requestsOf(pod({ ...spec, initContainers: spec.initContainers.slice(0, 1) }))).toEqual({ cpu: 2510 });
  expect(requestsOf(pod({ ...spec, resources: { requests: { cpu: "3" } } }))).toEqual({ cpu: 3010 });
});

test("the refusal counts reasons, and sorts them as texts", () => {
  const misfits = [
    { reasons: ["Insufficient cpu", "Insufficient memory"], isForNow: true },
    { reasons: ["Insufficient cpu"], isForNow: false },
  ];
  expect(refusal(misfits)).toBe(
    "0/2 nodes are available: 1 Insufficient memory, 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
  );
  expect(refusal([])).toBe("no nodes available to schedule pods");
});
