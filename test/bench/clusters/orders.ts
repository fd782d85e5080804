/** What is asked of the operators: Clusters, and for each of them two requests for kubeconfigs. */
import type { ToCreate } from "@berg/apimachinery";
import { type Cluster, Clusters, type KubeconfigRequest, KubeconfigRequests } from "@berg/resources";
import { inFlight } from "../instances/pace.ts";
import { clustersOfTenant, namespace, type World } from "./world.ts";

export const requestsOfCluster = 2;
/** How many are asked for at once. */
export const limit = 32;

/** Resolves when all of them are created. A Cluster comes right before its requests, which wait for it. */
export async function orderClusters({ client }: World, count: number): Promise<void> {
  let next = 0;
  await inFlight(count, limit, async () => {
    const number = next++;
    await client.create(Clusters, clusterOf(number));
    await client.create(KubeconfigRequests, everywhere(number));
    await client.create(KubeconfigRequests, inOneNamespace(number));
  });
}

function clusterOf(number: number): ToCreate<Cluster> {
  return {
    metadata: { namespace, name: nameOf(number) },
    spec: {
      core: { purpose: "evaluation", region: "eu-central-1" },
      infrastructure: {
        provider: "aws",
        machineType: "m5.large",
        autoScalerMin: 1,
        autoScalerMax: 3,
        numberOfZones: 1 + (number % 3),
        subscriptionSelector: `tenant-${Math.floor(number / clustersOfTenant)}`,
        networking: { type: "calico", nodes: "10.250.0.0/16", pods: "100.96.0.0/11", services: "100.64.0.0/13" },
      },
      // Each has another: those of clusters that share an API server would be in each other's way.
      administrators: [`admin-${number}@example.org`],
      deletionPolicy: "Delete",
    },
  };
}

function everywhere(number: number): ToCreate<KubeconfigRequest> {
  const rules = [{ apiGroups: ["", "apps"], resources: ["pods", "deployments"], verbs: ["get", "list", "watch"] }];
  return {
    metadata: { namespace, name: `${nameOf(number)}-reader` },
    spec: { cluster: nameOf(number), clusterRole: { rules }, expiration: 3600, output: "Secret" },
  };
}

function inOneNamespace(number: number): ToCreate<KubeconfigRequest> {
  const rules = [{ apiGroups: [""], resources: ["configmaps", "pods/log"], verbs: ["get", "list", "create"] }];
  return {
    metadata: { namespace, name: `${nameOf(number)}-writer` },
    spec: { cluster: nameOf(number), role: { namespace: "default", rules }, expiration: 3600, output: "Secret" },
  };
}

function nameOf(number: number): string {
  return `cluster-${String(number).padStart(4, "0")}`;
}
