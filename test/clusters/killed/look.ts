/** All that there is of one life, on all three servers, without what differs from life to life. */
import { isNotFound, type KubeObject, type Stored } from "@berg/apimachinery";
import { ConfigMaps, Secrets } from "@berg/kube";
import {
  type Cluster,
  Clusters,
  type KubeconfigRequest,
  type SubscriptionRequest,
  SubscriptionRequests,
} from "@berg/resources";
import {
  type ClusterRoleBinding,
  ClusterRoleBindings,
} from "../../../packages/clusters/src/cluster/administrators/plan.ts";
import { CredentialsBindings, Shoots } from "../../../packages/clusters/src/gardener/kinds.ts";
import { clientOf } from "../../../packages/clusters/src/kubeconfig/testing/place.ts";
import { heldFor, triedWith } from "../../../packages/clusters/src/kubeconfig/testing/tried.ts";
import { labels } from "../../../packages/clusters/src/vocabulary.ts";
import { mask } from "../../crash/outcome.ts";
import type { Ground } from "./landscape.ts";

/** Of the Cluster, of its Shoot, and of the requests. */
export const objectName = "event";

/** Undefined where it is not there. */
export interface Objects {
  cluster: Stored<Cluster> | undefined;
  subscription: Stored<SubscriptionRequest> | undefined;
  request: Stored<KubeconfigRequest> | undefined;
}

export async function objectsOf({ name, place }: Ground): Promise<Objects> {
  const [cluster, subscription, request] = await Promise.all([
    orMissing(place.home.get(Clusters, name, objectName)),
    orMissing(place.home.get(SubscriptionRequests, name, objectName)),
    place.get(objectName),
  ]);
  return { cluster, subscription, request };
}

/** `asked`: the KubeconfigRequest as it was created, to find what is left of it when it is gone. */
export async function look(ground: Ground, asked: Stored<KubeconfigRequest> | undefined): Promise<unknown> {
  const { place, garden, door, name } = ground;
  const { cluster, subscription, request } = await objectsOf(ground);
  const shoot = await orMissing(garden.client.get(Shoots, garden.namespace, objectName));
  const signIn = await orMissing(garden.client.get(ConfigMaps, garden.namespace, `${objectName}-authentication`));
  const accounts = await garden.client.list(CredentialsBindings, { namespace: garden.namespace });
  const seen = {
    cluster: cluster && told(cluster),
    subscription: subscription && told(subscription),
    request: request && told(request),
    shoot: shoot && { marks: marksOf(shoot), account: shoot.spec.credentialsBindingName },
    signIn: signIn?.data,
    accounts: accounts.items.map(({ metadata }) => [metadata.name, metadata.labels, metadata.annotations]),
    administrators: await administratorsOf(ground),
    access: asked && (await heldFor(place.target, asked)),
    published: request?.status?.secretRef && (await orMissing(publishedIn(ground))),
  };
  const text = JSON.stringify(seen, (key, part) => (differing.has(key) ? "<differs>" : part));
  const same = mask(text).replaceAll(door.server, "<door>").replaceAll(name, "<life>");
  return JSON.parse(same.replace(/kc-[0-9a-f]{16}/g, "<account>"));
}

/** Zones are chosen by a UID; the others are digests of keys and tokens. */
const differing = new Set(["zones", "credentialHash", "certificateAuthorityHash", "issuedFor", "resourceVersion"]);

function told({ metadata, status }: Stored<KubeObject & { status?: { conditions?: { type: string }[] } }>): object {
  const conditions = (status?.conditions ?? []).toSorted((a, b) => (a.type < b.type ? -1 : 1));
  const { annotations, finalizers } = metadata;
  return { annotations, finalizers, status: { ...status, conditions } };
}

function marksOf({ metadata }: KubeObject): string[] {
  return Object.keys({ ...metadata.annotations, ...metadata.labels }).sort();
}

/** Each life has users of its own: those of clusters that share an API server would be in each other's way. */
async function administratorsOf({ place, name }: Ground): Promise<string[]> {
  const labelSelector = labels.clusterUid;
  const { items } = await place.target.list<ClusterRoleBinding>(ClusterRoleBindings, { labelSelector });
  const users = items.flatMap(({ subjects = [] }) => subjects.map((subject) => subject.name));
  return users.filter((user) => user.endsWith(`@${name}.example.org`)).sort();
}

/** What it is good for: what its rules say, and something that they do not. */
async function publishedIn({ place }: Ground): Promise<object> {
  const client = await clientOf(await place.published(objectName));
  try {
    return { pods: await triedWith(client), secrets: await triedWith(client, Secrets) };
  } finally {
    await client.close();
  }
}

async function orMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
