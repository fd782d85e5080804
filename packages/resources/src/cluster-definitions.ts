/**
 * The kinds of `berg clusters`, each with its schema and with what people see of it in kubectl. They are installed where
 * clusters are made from (`deploy/clusters`), and nowhere else: their groups are not ours alone.
 */
import { defineResource } from "@berg/apimachinery";
import { z } from "zod";
import { type Cluster, clusterSpec } from "./cluster.ts";
import { settledFields } from "./cluster-settled.ts";
import { clusterStatus } from "./cluster-status.ts";
import { age, type Definition } from "./definitions.ts";
import { type KubeconfigRequest, kubeconfigRequestSpec, kubeconfigRequestStatus } from "./kubeconfig-request.ts";
import { ruled } from "./rules.ts";
import {
  type SubscriptionRequest,
  subscriptionRequestSpec,
  subscriptionRequestStatus,
} from "./subscription-request.ts";

const operator = { group: "operator.kyma-project.io", version: "v1alpha1" } as const;
const controlPlane = { group: "control-plane.kyma-project.io", version: "v1alpha1" } as const;

export const Clusters = defineResource<Cluster>({
  ...operator,
  resource: "clusters",
  kind: "Cluster",
  namespaced: true,
});

export const SubscriptionRequests = defineResource<SubscriptionRequest>({
  ...controlPlane,
  resource: "subscriptionrequests",
  kind: "SubscriptionRequest",
  namespaced: true,
});

export const KubeconfigRequests = defineResource<KubeconfigRequest>({
  ...operator,
  resource: "kubeconfigrequests",
  kind: "KubeconfigRequest",
  namespaced: true,
});

const clusterDefinition: Definition<Cluster> = {
  resource: Clusters,
  singular: "cluster",
  shortNames: ["kcl"],
  categories: [],
  schema: ruled(
    z.strictObject({ spec: clusterSpec, status: clusterStatus.exactOptional() }),
    ...settledFields,
  ).describe("A Cluster is a Kubernetes cluster that Gardener makes, or that somebody brings along."),
  statusSubresource: true,
  columns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Provider", type: "string", jsonPath: ".spec.infrastructure.provider" },
    { name: "Region", type: "string", jsonPath: ".spec.core.region" },
    { name: "Shoot", type: "string", jsonPath: ".status.shootRef.name" },
    { name: "Progress", type: "integer", jsonPath: ".status.progress" },
    {
      name: "Message",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='ClusterProvisioned')].message",
      priority: 1,
    },
    age,
  ],
  selectableFields: [".spec.infrastructure.provider", ".status.phase"],
};

const subscriptionRequestDefinition: Definition<SubscriptionRequest> = {
  resource: SubscriptionRequests,
  singular: "subscriptionrequest",
  shortNames: ["subreq"],
  categories: [],
  schema: z
    .strictObject({ spec: subscriptionRequestSpec, status: subscriptionRequestStatus.exactOptional() })
    .describe("A SubscriptionRequest asks for an account of a cloud, out of a pool."),
  statusSubresource: true,
  columns: [
    { name: "Provider", type: "string", jsonPath: ".spec.provider" },
    { name: "Selector", type: "string", jsonPath: ".spec.subscriptionSelector" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Binding", type: "string", jsonPath: ".status.binding.name" },
    { name: "Secret", type: "string", jsonPath: ".status.gardenerSecretName", priority: 1 },
    age,
  ],
  selectableFields: [".spec.provider", ".status.phase"],
};

const kubeconfigRequestDefinition: Definition<KubeconfigRequest> = {
  resource: KubeconfigRequests,
  singular: "kubeconfigrequest",
  shortNames: ["kcr"],
  categories: [],
  schema: z
    .strictObject({ spec: kubeconfigRequestSpec, status: kubeconfigRequestStatus.exactOptional() })
    .describe("A KubeconfigRequest asks for narrow, short-lived access to a Cluster."),
  statusSubresource: true,
  columns: [
    { name: "Cluster", type: "string", jsonPath: ".spec.cluster" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Secret", type: "string", jsonPath: ".status.secretRef.name" },
    { name: "Expires", type: "string", jsonPath: ".status.expirationTimestamp" },
    age,
  ],
  selectableFields: [".spec.cluster", ".status.phase"],
};

export const clusterDefinitions: Definition[] = [
  clusterDefinition,
  subscriptionRequestDefinition,
  kubeconfigRequestDefinition,
];
