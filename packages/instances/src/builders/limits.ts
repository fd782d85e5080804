/**
 * What bounds an instance as a whole: whatever gets to run in its namespace, by whomever it was started, cannot take more
 * of the cluster than this.
 *
 * Only limits are counted, not requests: no request is above its limit, and a RuntimeClass may add a fixed overhead to
 * both that is large beside a small request.
 *
 * What only we make, and what takes nothing but a few bytes (Services, ConfigMaps, Secrets), is not counted: the API
 * server writes down the new count before it answers each such create, and every instance would start later for it.
 */
import { parseQuantity, Quantity } from "@berg/apimachinery";
import { type LimitRange, LimitRanges, type ResourceQuota, ResourceQuotas } from "@berg/kube";
import { components } from "@berg/resources";
import type { Blueprint, Child } from "./blueprint.ts";
import { marks } from "./marks.ts";
import { instanceNamespaceName, limitRangeName, resourceQuotaName } from "./names.ts";
import { containerResources, eachResource, larger, storedQuantity } from "./resources.ts";
import { services } from "./services.ts";

export function limits(blueprint: Blueprint): Child[] {
  const metadata = (name: string) => ({
    name,
    namespace: instanceNamespaceName(blueprint.instance.ownerId),
    ...marks(blueprint, components.limits),
  });
  const quota: Child<ResourceQuota> = {
    type: ResourceQuotas,
    manifest: { metadata: metadata(resourceQuotaName), spec: { hard: hardLimits(blueprint) } },
  };
  const range: Child<LimitRange> = {
    type: LimitRanges,
    manifest: { metadata: metadata(limitRangeName), spec: { limits: [containerRange(blueprint)] } },
  };
  return [quota, range];
}

/** Twice what we make, as what is deleted counts until Kubernetes has looked, and its replacement must not wait for that. */
function hardLimits(blueprint: Blueprint): Record<string, string> {
  const { workload, settings } = blueprint;
  const ours = services(blueprint).map(({ manifest }) => manifest.spec);
  const nodePorts = ours.flatMap((spec) => (spec?.type === "NodePort" ? (spec.ports ?? []) : []));
  const resources = workload.containers.map((container) => containerResources(container, settings.resources));
  // A replacement has room for the default at least, so that an overhead fits beside small limits.
  const total = eachResource((name) =>
    resources
      .map(({ limits }) => parseQuantity(limits[name]))
      .map((limit) => limit.add(larger(limit, parseQuantity(settings.resources.limits[name]))))
      .reduce((sum, amount) => sum.add(amount), new Quantity(0n, "DecimalSI")),
  );
  return {
    "limits.cpu": storedQuantity(total.cpu),
    "limits.memory": storedQuantity(total.memory),
    "limits.ephemeral-storage": storedQuantity(total["ephemeral-storage"]),
    pods: count(2 * workload.containers.length),
    "services.nodeports": count(2 * nodePorts.length),
    "services.loadbalancers": count(0),
    persistentvolumeclaims: count(0),
  };
}

function count(number: number): string {
  return storedQuantity(parseQuantity(number));
}

/** A container without limits gets the organiser's, and none gets more than the largest one of the Challenge. */
function containerRange({ workload, settings }: Blueprint) {
  const defaults = containerResources({}, settings.resources);
  const resources = workload.containers.map((container) => containerResources(container, settings.resources));
  const max = eachResource((name) =>
    storedQuantity(
      [defaults, ...resources].map(({ limits }) => parseQuantity(limits[name])).reduce((a, b) => larger(a, b)),
    ),
  );
  return { type: "Container", max, default: defaults.limits, defaultRequest: defaults.requests };
}
