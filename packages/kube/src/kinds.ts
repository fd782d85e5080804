/** The kinds of Kubernetes itself that the runtime and its callers use. */
import { defineResource, type KubeObject } from "@berg/apimachinery";
import type * as apps from "kubernetes-types/apps/v1.js";
import type * as coordination from "kubernetes-types/coordination/v1.js";
import type * as core from "kubernetes-types/core/v1.js";

/** kubernetes-types leaves everything optional; ours always has its kind and its name. */
type Kind<T> = KubeObject & Omit<T, keyof KubeObject>;

export type Pod = Kind<core.Pod>;
export type Node = Kind<core.Node>;
export type Namespace = Kind<core.Namespace>;
export type ConfigMap = Kind<core.ConfigMap>;
export type Secret = Kind<core.Secret>;
export type Service = Kind<core.Service>;
export type ServiceAccount = Kind<core.ServiceAccount>;
export type CoreEvent = Kind<core.Event>;
export type Deployment = Kind<apps.Deployment>;
export type ReplicaSet = Kind<apps.ReplicaSet>;
export type Lease = Kind<coordination.Lease>;

const coreV1 = { group: "", version: "v1" };
const appsV1 = { group: "apps", version: "v1" };

export const Pods = defineResource<Pod>({ ...coreV1, resource: "pods", kind: "Pod", namespaced: true });
export const Nodes = defineResource<Node>({ ...coreV1, resource: "nodes", kind: "Node", namespaced: false });
export const Namespaces = defineResource<Namespace>({
  ...coreV1,
  resource: "namespaces",
  kind: "Namespace",
  namespaced: false,
});
export const ConfigMaps = defineResource<ConfigMap>({
  ...coreV1,
  resource: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
});
export const Secrets = defineResource<Secret>({ ...coreV1, resource: "secrets", kind: "Secret", namespaced: true });
export const Services = defineResource<Service>({ ...coreV1, resource: "services", kind: "Service", namespaced: true });
export const ServiceAccounts = defineResource<ServiceAccount>({
  ...coreV1,
  resource: "serviceaccounts",
  kind: "ServiceAccount",
  namespaced: true,
});
export const Events = defineResource<CoreEvent>({ ...coreV1, resource: "events", kind: "Event", namespaced: true });
export const Deployments = defineResource<Deployment>({
  ...appsV1,
  resource: "deployments",
  kind: "Deployment",
  namespaced: true,
});
export const ReplicaSets = defineResource<ReplicaSet>({
  ...appsV1,
  resource: "replicasets",
  kind: "ReplicaSet",
  namespaced: true,
});
export const Leases = defineResource<Lease>({
  group: "coordination.k8s.io",
  version: "v1",
  resource: "leases",
  kind: "Lease",
  namespaced: true,
});
