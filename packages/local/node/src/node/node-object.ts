/** This machine as a Node: what it has, and how it is. Pure. */
import { formatTime, parseQuantity } from "@berg/apimachinery";
import { findCondition, type Node } from "@berg/kube";
import type { EngineInfo } from "@berg/local-engine";
import type { Reach } from "../pods/engine-view.ts";

type NodeStatus = NonNullable<Node["status"]>;
type NodeCondition = NonNullable<NodeStatus["conditions"]>[number];

/** What is known of the machine beside what its engine says. */
export interface Machine {
  ip: string;
  storageBytes: number;
  machineId: string;
  bootId: string;
}

/** As many as kubelet allows. */
const mostPods = 110;
/** kubelet keeps as much for the machine itself. */
const reservedBytes = 100 * 1024 * 1024;
const kubeletVersion = "v1.36.4";
/** Go's names for what the kernel calls itself. */
const architectures: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64", armv7l: "arm" };

export function nodeLabels(name: string, info: EngineInfo): Record<string, string> {
  const arch = architectures[info.architecture] ?? info.architecture;
  return {
    "beta.kubernetes.io/arch": arch,
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": arch,
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
  };
}

export function nodeStatus(name: string, machine: Machine, info: EngineInfo): NodeStatus {
  // In the form in which the server keeps it: what is compared with what it has must not always differ.
  const memory = (bytes: number) => parseQuantity(`${Math.floor(bytes / 1024)}Ki`).toString();
  const rest = { cpu: String(info.cpus), "ephemeral-storage": memory(machine.storageBytes), pods: String(mostPods) };
  return {
    capacity: { ...rest, memory: memory(info.memoryBytes) },
    allocatable: { ...rest, memory: memory(Math.max(0, info.memoryBytes - reservedBytes)) },
    addresses: [
      { type: "InternalIP", address: machine.ip },
      { type: "Hostname", address: name },
    ],
    nodeInfo: {
      architecture: architectures[info.architecture] ?? info.architecture,
      operatingSystem: "linux",
      osImage: info.operatingSystem,
      kernelVersion: info.kernel,
      containerRuntimeVersion: `${info.name}://${info.version}`,
      kubeletVersion,
      kubeProxyVersion: "",
      machineID: machine.machineId,
      systemUUID: machine.machineId,
      bootID: machine.bootId,
    },
  };
}

export interface NodeHealth {
  reach: Reach;
  /** What the disk lacks; undefined where it has room. */
  shortage: string | undefined;
  now: number;
}

/** kubelet's four. Times of conditions that do not change are kept. */
export function nodeConditions(
  old: readonly NodeCondition[] | undefined,
  { reach, shortage, now }: NodeHealth,
): NodeCondition[] {
  const time = formatTime(now);
  return wanted(reach, shortage).map((condition) => {
    const before = findCondition(old, condition.type);
    const lastTransitionTime = (before?.status === condition.status && before.lastTransitionTime) || time;
    return { ...condition, lastHeartbeatTime: time, lastTransitionTime };
  });
}

function wanted(reach: Reach, shortage: string | undefined): NodeCondition[] {
  const isWell = (type: string, reason: string, message: string) => ({ type, status: "False", reason, message });
  return [
    isWell("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    shortage === undefined
      ? isWell("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure")
      : {
          type: "DiskPressure",
          status: "True",
          reason: "KubeletHasDiskPressure",
          message: `no new pods start here: ${shortage}`,
        },
    isWell("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    reach.is === "there"
      ? { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
      : {
          type: "Ready",
          status: "False",
          reason: "KubeletNotReady",
          message: `container runtime is down: ${reach.why}`,
        },
  ];
}
