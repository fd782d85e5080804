/** What one object uses, in the words in which a ResourceQuota limits it. */
import { parseQuantity, parseTime, resourceName } from "@berg/apimachinery";
import type { AnyObject, ServedResource } from "../registry/resource.ts";
import { add, type Quantities, quantitiesOf, totalOf } from "./amounts.ts";
import { type Amounts, containersOf, type Pod } from "./pods.ts";

const one = parseQuantity(1);
const zero = parseQuantity(0);

/** Kinds of the core group that are also counted under their plain name. */
const plainlyCounted = [
  "configmaps",
  "persistentvolumeclaims",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
];

export function usageOf(resource: ServedResource, object: AnyObject, now: number): Quantities {
  const used: Quantities = new Map([[`count/${resourceName(resource)}`, one]]);
  if (resource.group === "" && plainlyCounted.includes(resource.resource)) used.set(resource.resource, one);
  if (resource.storedAs === "pods" && isRunning(object as Pod, now)) add(used, podUsage(object as Pod));
  if (resource.storedAs === "services") add(used, serviceUsage(object));
  return used;
}

/** What has ended uses nothing any more, and what should have ended by now is not held against anybody. */
function isRunning({ status, metadata }: Pod, now: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function podUsage(pod: Pod): Quantities {
  const requests = totalOf(pod, "requests");
  const limits = totalOf(pod, "limits");
  const overhead = quantitiesOf(pod.spec?.overhead);
  add(requests, overhead);
  for (const [name, amount] of overhead) {
    const limit = limits.get(name);
    if (limit) limits.set(name, limit.add(amount));
  }
  return computeUsage(requests, limits);
}

const computed = ["cpu", "memory", "ephemeral-storage"];

function computeUsage(requests: Quantities, limits: Quantities): Quantities {
  const used: Quantities = new Map([["pods", one]]);
  for (const [name, amount] of requests) {
    if (computed.includes(name) || name.startsWith("hugepages-")) used.set(name, amount);
    used.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (computed.includes(name)) used.set(`limits.${name}`, amount);
  return used;
}

/** Which of the limited resources some container says nothing about, and so cannot be counted. */
export function unspecified(pod: Pod, limited: readonly string[]): string[] {
  if (pod.spec?.resources?.requests || pod.spec?.resources?.limits) return [];
  const wanted = limited.filter((name) => computed.includes(name.replace(/^(?:requests|limits)\./, ""))).sort();
  return wanted.flatMap((name) => {
    const silent = containersOf(pod).filter(({ resources }) => !isSpecified(name, resources));
    const names = [...new Set(silent.map((container) => container.name))].sort();
    return names.length === 0 ? [] : [`${name} for: ${names.join(",")}`];
  });
}

function isSpecified(name: string, resources: { requests?: Amounts; limits?: Amounts } | undefined): boolean {
  const limit = /^limits\.(.*)$/.exec(name)?.[1];
  if (limit !== undefined) return resources?.limits?.[limit] !== undefined;
  return resources?.requests?.[name.replace(/^requests\./, "")] !== undefined;
}

interface ServiceSpec {
  type?: string;
  ports?: { nodePort?: number }[];
  allocateLoadBalancerNodePorts?: boolean;
}

function serviceUsage(service: AnyObject): Quantities {
  const { type, ports = [], allocateLoadBalancerNodePorts } = (service.spec ?? {}) as ServiceSpec;
  const isBalanced = type === "LoadBalancer";
  const withPort = ports.filter(({ nodePort }) => nodePort).length;
  const allocated = isBalanced && allocateLoadBalancerNodePorts === false ? withPort : ports.length;
  return new Map([
    ["services.loadbalancers", isBalanced ? one : zero],
    ["services.nodeports", isBalanced || type === "NodePort" ? parseQuantity(allocated) : zero],
  ]);
}
