/** How a pod fares when a node runs short: Guaranteed is the last to go, BestEffort the first. */
import { parseQuantity, type Quantity } from "@berg/apimachinery";
import type { PodSpec, ResourceList, ResourceRequirements } from "../types.ts";

const counted = ["cpu", "memory"];

export function qualityOfService(spec: PodSpec): "Guaranteed" | "Burstable" | "BestEffort" {
  const parts: ResourceRequirements[] = spec.resources
    ? [spec.resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources ?? {});
  const requests = sum(parts.map((part) => part.requests));
  const limits = sum(parts.map((part) => part.limits));
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isLimited = parts.every(({ limits: own }) => counted.every((name) => isPositive(own?.[name])));
  const isEqual =
    requests.size === limits.size && [...requests].every(([name, sum]) => limits.get(name)?.compare(sum) === 0);
  return isLimited && isEqual ? "Guaranteed" : "Burstable";
}

function sum(lists: (ResourceList | undefined)[]): Map<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const list of lists)
    for (const name of counted) {
      const text = list?.[name];
      if (text === undefined || !isPositive(text)) continue;
      const more = parseQuantity(text);
      sums.set(name, sums.get(name)?.add(more) ?? more);
    }
  return sums;
}

function isPositive(text: string | undefined): boolean {
  return text !== undefined && parseQuantity(text).nanos > 0n;
}
