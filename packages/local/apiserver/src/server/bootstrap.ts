/** The objects that every cluster has from the start. What is there already is left as it is. */
import { apiVersionOf, isAlreadyExists, type KubeObject, makeKey } from "@berg/apimachinery";
import { bootstrapRbac } from "../authorization/bootstrap.ts";
import { systemPriorityClasses } from "../kinds/scheduling/priority-class.ts";
import type { ServedResources } from "../registry/served-resources.ts";
import type { Verbs } from "../registry/verbs.ts";
import type { Store } from "../storage/table.ts";
import { systemCaller } from "./system-caller.ts";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** `port`: where the server listens. */
export async function bootstrap(store: Store, served: ServedResources, verbs: Verbs, port: number): Promise<void> {
  const ensure = (object: KubeObject) => create(store, served, verbs, object);
  await Promise.all(namespaces.map((name) => ensure({ apiVersion: "v1", kind: "Namespace", metadata: { name } })));
  await Promise.all([...bootstrapRbac(), ...systemPriorityClasses, kubernetesService(port)].map(ensure));
}

async function create(store: Store, served: ServedResources, verbs: Verbs, object: KubeObject): Promise<void> {
  const resource = served
    .all()
    .find((known) => known.kind === object.kind && apiVersionOf(known) === object.apiVersion);
  if (!resource) return;
  const { namespace = "", name } = object.metadata;
  if (store.table(resource.storedAs).newest(makeKey(namespace, name))) return;
  const options = { isDryRun: false, fieldValidation: "Ignore" } as const;
  const caller = systemCaller(new AbortController().signal);
  try {
    await verbs.create(resource, namespace, { value: structuredClone(object), duplicates: [] }, options, caller);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** What pods find the API server by. */
function kubernetesService(port: number): KubeObject {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: port }],
    },
  };
  return service;
}
