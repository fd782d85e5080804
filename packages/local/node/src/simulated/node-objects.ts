/** A node and its lease as kubelet 1.36 would register them. */
import { formatMicroTime, formatTime } from "@berg/apimachinery";
import { isConditionTrue, type Lease, type Node } from "@berg/kube";

type NodeCondition = NonNullable<NonNullable<Node["status"]>["conditions"]>[number];

/** Marks the nodes that a simulator made. */
export const simulatedLabel = "simulator.berg.norelect.ch/simulated";

export const leaseNamespace = "kube-node-lease";
/** kubelet's own times; the node controller waits for 50 s. */
export const heartbeatMs = 10_000;
const leaseSeconds = 40;

// More than any test will ask for; kubelet's own limit of 110 pods would only be in the way.
const capacity = { cpu: "1000", memory: "4Ti", "ephemeral-storage": "16Ti", pods: "100000" };

export function makeNode(name: string, hostIP: string, now: number): Node {
  const arch = { "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { ...arch, "kubernetes.io/hostname": name, [simulatedLabel]: "true" } },
    spec: {},
    status: {
      capacity,
      allocatable: capacity,
      conditions: healthyConditions(undefined, now),
      addresses: [
        { type: "InternalIP", address: hostIP },
        { type: "Hostname", address: name },
      ],
      nodeInfo: {
        architecture: "amd64",
        operatingSystem: "linux",
        osImage: "Simulated Linux",
        kernelVersion: "6.12.0",
        containerRuntimeVersion: "containerd://2.1.4",
        kubeletVersion: "v1.36.4",
        kubeProxyVersion: "",
        machineID: name,
        systemUUID: name,
        bootID: name,
      },
    },
  };
}

export function makeLease(node: { metadata: { name: string; uid: string } }, now: number): Lease {
  const { name, uid } = node.metadata;
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      namespace: leaseNamespace,
      name,
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(now) },
  };
}

export function isReady(node: Node): boolean {
  return isConditionTrue(node.status?.conditions, "Ready");
}

/** Undefined where the node is said to be what it is already. */
export function healthConditions(node: Node, isAlive: boolean, now: number): NodeCondition[] | undefined {
  if (isReady(node) === isAlive) return undefined;
  return isAlive ? healthyConditions(node, now) : silentConditions(node, now);
}

function healthyConditions(node: Node | undefined, now: number): NodeCondition[] {
  return setConditions(node, now, [
    {
      type: "MemoryPressure",
      status: "False",
      reason: "KubeletHasSufficientMemory",
      message: "kubelet has sufficient memory available",
    },
    {
      type: "DiskPressure",
      status: "False",
      reason: "KubeletHasNoDiskPressure",
      message: "kubelet has no disk pressure",
    },
    {
      type: "PIDPressure",
      status: "False",
      reason: "KubeletHasSufficientPID",
      message: "kubelet has sufficient PID available",
    },
    { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
  ]);
}

/** What the node controller would write in the end: a test need not wait for it. */
function silentConditions(node: Node, now: number): NodeCondition[] {
  const unknown = {
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  };
  const types = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"];
  return setConditions(
    node,
    now,
    types.map((type) => ({ type, ...unknown })),
  );
}

function setConditions(node: Node | undefined, now: number, wanted: NodeCondition[]): NodeCondition[] {
  const old = node?.status?.conditions ?? [];
  const time = formatTime(now);
  const changed = wanted.map((condition) => {
    const before = old.find(({ type }) => type === condition.type);
    const lastTransitionTime = (before?.status === condition.status && before.lastTransitionTime) || time;
    return { ...condition, lastHeartbeatTime: time, lastTransitionTime };
  });
  return [...old.filter(({ type }) => !wanted.some((condition) => condition.type === type)), ...changed];
}
