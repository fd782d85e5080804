/** The kinds of Kubernetes itself that the runtime and its callers use. */
import { defineResource, type KubeObject } from "@berg/apimachinery";
import type * as apps from "kubernetes-types/apps/v1.js";
import type * as coordination from "kubernetes-types/coordination/v1.js";
import type * as core from "kubernetes-types/core/v1.js";
import type * as discovery from "kubernetes-types/discovery/v1.js";
import type * as networking from "kubernetes-types/networking/v1.js";
import type * as policy from "kubernetes-types/policy/v1.js";

/** kubernetes-types leaves everything optional; ours always has its kind and its name. */
type Kind<T> = KubeObject & Omit<T, keyof KubeObject>;

export type Pod = Kind<core.Pod>;
export type Node = Kind<core.Node>;
export type Namespace = Kind<core.Namespace>;
export type ConfigMap = Kind<core.ConfigMap>;
export type Secret = Kind<core.Secret>;
export type Service = Kind<core.Service>;
export type ServiceAccount = Kind<core.ServiceAccount>;
export type ResourceQuota = Kind<core.ResourceQuota>;
export type LimitRange = Kind<core.LimitRange>;
export type CoreEvent = Kind<core.Event>;
export type Deployment = Kind<apps.Deployment>;
export type ReplicaSet = Kind<apps.ReplicaSet>;
/** `data` is whatever its controller keeps there. */
export type ControllerRevision = Kind<Omit<apps.ControllerRevision, "data">> & { data?: unknown };
export type EndpointSlice = Kind<discovery.EndpointSlice>;
export type Lease = Kind<coordination.Lease>;
export type NetworkPolicy = Kind<networking.NetworkPolicy>;
export type PodDisruptionBudget = Kind<policy.PodDisruptionBudget>;

const served = (group: string, version: string, { namespaced } = { namespaced: true }) => {
  return <T extends KubeObject>(resource: string, kind: string) =>
    defineResource<T>({ group, version, resource, kind, namespaced });
};

const coreV1 = served("", "v1");
export const Pods = coreV1<Pod>("pods", "Pod");
export const ConfigMaps = coreV1<ConfigMap>("configmaps", "ConfigMap");
export const Secrets = coreV1<Secret>("secrets", "Secret");
export const Services = coreV1<Service>("services", "Service");
export const ServiceAccounts = coreV1<ServiceAccount>("serviceaccounts", "ServiceAccount");
export const ResourceQuotas = coreV1<ResourceQuota>("resourcequotas", "ResourceQuota");
export const LimitRanges = coreV1<LimitRange>("limitranges", "LimitRange");
export const Events = coreV1<CoreEvent>("events", "Event");

const clusterCoreV1 = served("", "v1", { namespaced: false });
export const Nodes = clusterCoreV1<Node>("nodes", "Node");
export const Namespaces = clusterCoreV1<Namespace>("namespaces", "Namespace");

const appsV1 = served("apps", "v1");
export const Deployments = appsV1<Deployment>("deployments", "Deployment");
export const ReplicaSets = appsV1<ReplicaSet>("replicasets", "ReplicaSet");
export const ControllerRevisions = appsV1<ControllerRevision>("controllerrevisions", "ControllerRevision");

export const EndpointSlices = served("discovery.k8s.io", "v1")<EndpointSlice>("endpointslices", "EndpointSlice");
export const Leases = served("coordination.k8s.io", "v1")<Lease>("leases", "Lease");
export const NetworkPolicies = served("networking.k8s.io", "v1")<NetworkPolicy>("networkpolicies", "NetworkPolicy");
export const PodDisruptionBudgets = served("policy", "v1")<PodDisruptionBudget>(
  "poddisruptionbudgets",
  "PodDisruptionBudget",
);
