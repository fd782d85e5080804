/** Every kind that is served without having been defined by somebody. */
import type { ServedResource } from "../registry/resource.ts";
import { validatingAdmissionPolicies } from "./admissionregistration/validating-admission-policy.ts";
import { validatingAdmissionPolicyBindings } from "./admissionregistration/validating-admission-policy-binding.ts";
import { customResourceDefinitions } from "./apiextensions/custom-resource-definition.ts";
import { leases } from "./coordination/lease.ts";
import { configMaps } from "./core/config-map.ts";
import { endpoints } from "./core/endpoints.ts";
import { coreEvents, newEvents } from "./core/event.ts";
import { limitRanges } from "./core/limit-range.ts";
import { namespaces } from "./core/namespace.ts";
import { resourceQuotas } from "./core/resource-quota.ts";
import { secrets } from "./core/secret.ts";
import { type ServiceRanges, servicesWith, usualRanges } from "./core/service/service.ts";
import { serviceAccounts } from "./core/service-account.ts";
import { ingresses } from "./networking/ingress.ts";
import { ingressClasses } from "./networking/ingress-class.ts";
import { networkPolicies } from "./networking/network-policy.ts";
import { runtimeClasses } from "./node/runtime-class.ts";
import { clusterRoleBindings, roleBindings } from "./rbac/bindings.ts";
import { clusterRoles, roles } from "./rbac/roles.ts";
import { priorityClasses } from "./scheduling/priority-class.ts";
import { csiStorageCapacities } from "./storage/csi-storage-capacity.ts";
import { storageClasses } from "./storage/storage-class.ts";
import { workloadKinds } from "./workloads/index.ts";

export type { ServiceRanges } from "./core/service/service.ts";

/** `ranges`: from where Services get their addresses and ports. */
export function builtInKindsWith(ranges: ServiceRanges): readonly ServedResource[] {
  return [
    configMaps,
    endpoints,
    coreEvents,
    limitRanges,
    namespaces,
    resourceQuotas,
    secrets,
    serviceAccounts,
    servicesWith(ranges),
    newEvents,
    networkPolicies,
    ingresses,
    ingressClasses,
    leases,
    runtimeClasses,
    roles,
    clusterRoles,
    roleBindings,
    clusterRoleBindings,
    customResourceDefinitions,
    priorityClasses,
    csiStorageCapacities,
    storageClasses,
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    ...workloadKinds,
  ];
}

export const builtInKinds: readonly ServedResource[] = builtInKindsWith(usualRanges);
