/**
 * What tracking must know of a kind beyond its schema.
 *
 * Objects of built-in kinds are structs to Kubernetes: a part such as `spec` is there even with nothing in it. So nobody
 * comes to own it by filling it in, as whoever creates a custom object comes to own its `spec`.
 */
import type { Schema } from "../schema/schema.ts";
import { FieldSet } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";
import { fromEntries, getField, isObject, type JsonObject } from "./values.ts";

/** A ServedResource is one. */
export interface TrackedKind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly schema: Schema;
  readonly strategy: { readonly hasStatus: boolean };
}

const podSpec = { containers: null };
const podTemplate = { metadata: {}, spec: podSpec };
const noDisruptions = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
const roleRef = { apiGroup: "", kind: "", name: "" };

/** What is always there, by group and kind. */
const structs: Record<string, JsonObject> = {
  "/Binding": { target: {} },
  "/Event": { involvedObject: {}, source: {} },
  "/LimitRange": { spec: {} },
  "/Namespace": { spec: {}, status: {} },
  "/Node": { spec: {}, status: { daemonEndpoints: { kubeletEndpoint: {} }, nodeInfo: {} } },
  "/PersistentVolume": { spec: {}, status: {} },
  "/PersistentVolumeClaim": { spec: { resources: {} }, status: {} },
  "/Pod": { spec: podSpec, status: {} },
  "/PodTemplate": { template: podTemplate },
  "/ReplicationController": { spec: {}, status: {} },
  "/ResourceQuota": { spec: {}, status: {} },
  "/Service": { spec: {}, status: { loadBalancer: {} } },
  "apps/DaemonSet": { spec: { template: podTemplate, updateStrategy: {} }, status: {} },
  "apps/Deployment": { spec: { strategy: {}, template: podTemplate }, status: {} },
  "apps/ReplicaSet": { spec: { template: podTemplate }, status: {} },
  "apps/StatefulSet": { spec: { template: podTemplate, updateStrategy: {} }, status: {} },
  "batch/CronJob": { spec: { jobTemplate: { metadata: {}, spec: { template: podTemplate } } }, status: {} },
  "batch/Job": { spec: { template: podTemplate }, status: {} },
  "policy/PodDisruptionBudget": { spec: {}, status: noDisruptions },
  "networking.k8s.io/IPAddress": { spec: {} },
  "networking.k8s.io/Ingress": { spec: {}, status: { loadBalancer: {} } },
  "networking.k8s.io/IngressClass": { spec: {} },
  "networking.k8s.io/NetworkPolicy": { spec: { podSelector: {} } },
  "networking.k8s.io/ServiceCIDR": { spec: {}, status: {} },
  "rbac.authorization.k8s.io/ClusterRoleBinding": { roleRef },
  "rbac.authorization.k8s.io/RoleBinding": { roleRef },
  "coordination.k8s.io/Lease": { spec: {} },
  "apiextensions.k8s.io/CustomResourceDefinition": { spec: { names: {} }, status: { acceptedNames: {} } },
  "events.k8s.io/Event": { deprecatedSource: {}, regarding: {} },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": { spec: {}, status: {} },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": { spec: {} },
  "autoscaling/Scale": { spec: {}, status: {} },
  "autoscaling/HorizontalPodAutoscaler": { spec: { scaleTargetRef: {} }, status: {} },
};

/** With what is always there; of a custom kind that is nothing. */
export function withStructs({ group, kind }: TrackedKind, object: unknown): unknown {
  const always = structs[`${group}/${kind}`];
  return always && isObject(object) ? filledIn(object, always) : object;
}

function filledIn(object: JsonObject, always: JsonObject): JsonObject {
  const missing = Object.entries(always).map(([key, value]): [string, unknown] => {
    const own = getField(object, key);
    if (own === undefined) return [key, value];
    return [key, isObject(own) && isObject(value) ? filledIn(own, value) : own];
  });
  return { ...object, ...fromEntries(missing) };
}

const unowned = ["metadata", "spec"];
const unownedByStatus: Record<string, readonly string[]> = {
  "/Pod": ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
  "apps/Deployment": ["spec", "metadata.labels"],
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": unowned,
  "networking.k8s.io/ServiceCIDR": unowned,
};

/** What a request to this subresource cannot change, and so cannot own. */
export function resetFields({ group, kind, strategy }: TrackedKind, subresource: string): FieldSet {
  if (subresource !== "status") return strategy.hasStatus ? pathsOf(["status"]) : new FieldSet();
  const key = `${group}/${kind}`;
  return pathsOf(unownedByStatus[key] ?? (key in structs ? ["spec"] : unowned));
}

function pathsOf(paths: readonly string[]): FieldSet {
  return FieldSet.of(...paths.map((path) => path.split(".").map(fieldElement)));
}

export function apiVersionOf({ group, version }: TrackedKind): string {
  return group === "" ? version : `${group}/${version}`;
}
