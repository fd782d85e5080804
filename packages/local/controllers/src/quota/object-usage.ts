/** What anything but a pod uses of a quota: it counts, and some kinds count in more than one way. Pure. */

import type { KubeObject } from "@berg/apimachinery";
import { parseQuantity, Quantity, resourceName } from "@berg/apimachinery";
import type { Service } from "@berg/kube";
import { one, type Usage } from "./pod-usage.ts";

/** Kinds that quotas also name without `count/`. */
const byName = new Set([
  "configmaps",
  "persistentvolumeclaims",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
]);
const storageClassInfix = ".storageclass.storage.k8s.io/";

type Claim = KubeObject & {
  spec?: { storageClassName?: string; resources?: { requests?: Record<string, string> } };
};

/** The resource (`secrets`, `deployments.apps`) whose objects this name of a quota counts. */
export function countedBy(name: string): string {
  if (name.startsWith("count/")) return name.slice("count/".length);
  if (name.startsWith("services.")) return "services";
  if (name === "requests.storage" || name.includes(storageClassInfix)) return "persistentvolumeclaims";
  return byName.has(name) ? name : "pods";
}

export function objectUsage(type: { group: string; resource: string }, object: KubeObject): Usage {
  const name = resourceName(type);
  const usage: Usage = new Map([[`count/${name}`, one]]);
  if (byName.has(name)) usage.set(name, one);
  if (name === "services") addPorts(usage, object as Service);
  if (name === "persistentvolumeclaims") addStorage(usage, object as Claim);
  return usage;
}

function addPorts(usage: Usage, { spec }: Service): void {
  const ports = spec?.ports ?? [];
  const isBalanced = spec?.type === "LoadBalancer";
  const given =
    isBalanced && spec.allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort }) => nodePort) : ports;
  if (isBalanced) usage.set("services.loadbalancers", one);
  if (isBalanced || spec?.type === "NodePort") usage.set("services.nodeports", parseQuantity(given.length));
}

function addStorage(usage: Usage, { metadata, spec }: Claim): void {
  const storageClass = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName;
  const asked = spec?.resources?.requests?.storage;
  const names = new Map([["persistentvolumeclaims", one]]);
  if (asked !== undefined) names.set("requests.storage", wholeBytes(parseQuantity(asked)));
  for (const [name, amount] of names) {
    usage.set(name, amount);
    if (storageClass) usage.set(`${storageClass}${storageClassInfix}${name}`, amount);
  }
}

function wholeBytes(amount: Quantity): Quantity {
  return amount.nanos % 1_000_000_000n === 0n ? amount : new Quantity(amount.value() * 1_000_000_000n, amount.format);
}
