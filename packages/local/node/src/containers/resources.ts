/** How much a container may use, in the engine's terms, by kubelet's arithmetic. */
import { parseQuantity } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import type { HostConfig } from "@berg/local-engine";
import { type Container, initContainersOf, mainContainersOf } from "./shapes.ts";

/** kubelet has none unless told; here nothing stands between a fork bomb and the organiser's laptop. */
const pidsPerContainer = 1024;
const smallestShares = 2;
const largestShares = 262_144;

type Limits = Pick<HostConfig, "Memory" | "MemorySwap" | "NanoCpus" | "CpuShares" | "PidsLimit" | "OomScoreAdj">;

export function resourceLimits(pod: Pod, container: Container, machineBytes: number): Limits {
  const { limits, requests } = container.resources ?? {};
  const memory = quantity(limits?.memory);
  const cpu = quantity(limits?.cpu);
  const requested = quantity(requests?.cpu) ?? cpu;
  return {
    PidsLimit: pidsPerContainer,
    OomScoreAdj: oomScore(pod, container, machineBytes),
    CpuShares: shares(requested === undefined ? 0 : Number(requested.milliValue())),
    ...memoryLimit(memory === undefined ? unlimitedBytes(machineBytes) : Number(memory.value())),
    ...(cpu !== undefined && { NanoCpus: Number(cpu.nanos) }),
  };
}

/** No swap beyond it: a container that is over its limit is killed, and not slow. */
export function memoryLimit(bytes: number): Pick<HostConfig, "Memory" | "MemorySwap"> {
  return bytes > 0 ? { Memory: bytes, MemorySwap: bytes } : {};
}

/**
 * kubelet gives a container without a limit all that the node has, and a node has nothing else to do. Here somebody works
 * on it: half is more than a challenge needs, and one that leaks is killed before the machine has none left for its user.
 */
function unlimitedBytes(machineBytes: number): number {
  return Math.floor(machineBytes / 2);
}

function shares(milliCpu: number): number {
  return Math.min(largestShares, Math.max(smallestShares, Math.floor((milliCpu * 1024) / 1000)));
}

type QualityOfService = "Guaranteed" | "Burstable" | "BestEffort";

/** Who goes first when the machine has no memory left: who asked for little, and uses much. */
function oomScore(pod: Pod, container: Container, machineBytes: number): number {
  switch (qualityOfService(pod)) {
    case "Guaranteed":
      return guaranteedScore;
    case "BestEffort":
      return 1000;
    case "Burstable": {
      const { limits, requests } = container.resources ?? {};
      const bytes = Number((quantity(requests?.memory) ?? quantity(limits?.memory))?.value() ?? 0n);
      const score = Math.floor(1000 - (1000 * bytes) / Math.max(1, machineBytes));
      return Math.min(999, Math.max(leastBurstable, score));
    }
  }
}

// kubelet's is -997: on a machine that somebody works on, no challenge is worth more than what they work with.
const guaranteedScore = 0;
const leastBurstable = 3;

export function qualityOfService(pod: Pod): QualityOfService {
  const written = pod.status?.qosClass;
  if (written === "Guaranteed" || written === "Burstable" || written === "BestEffort") return written;
  const resources = [...initContainersOf(pod), ...mainContainersOf(pod)].map((container) => container.resources ?? {});
  const isSet = (list: Readonly<Record<string, string>> | undefined, name: string) =>
    (quantity(list?.[name])?.nanos ?? 0n) > 0n;
  const names = ["cpu", "memory"];
  if (!resources.some(({ limits, requests }) => names.some((name) => isSet(limits, name) || isSet(requests, name))))
    return "BestEffort";
  const isGuaranteed = resources.every(({ limits, requests }) =>
    names.every((name) => {
      const [limit, request] = [quantity(limits?.[name]), quantity(requests?.[name] ?? limits?.[name])];
      return limit !== undefined && request !== undefined && limit.nanos > 0n && limit.nanos === request.nanos;
    }),
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

function quantity(text: string | undefined) {
  return text === undefined ? undefined : parseQuantity(text);
}
