/** Looks at everything that decide.ts wants to know of one KubeconfigRequest: in copies, and at servers where it must. */
import { isNotFound, makeKey, type ObjectKey, type Stored } from "@berg/apimachinery";
import type { Client, Clock, EventRecorder, Informer, Logger, OwnWrites } from "@berg/kube";
import { type Cluster, Clusters, type KubeconfigRequest } from "@berg/resources";
import type { Garden } from "../gardener/garden.ts";
import { type Shoot, Shoots } from "../gardener/kinds.ts";
import { withDigests } from "../secrets/watched-secret.ts";
import type { Sight, WatchedSecrets } from "../secrets/watched-secrets.ts";
import type { TargetAccess } from "../target/target.ts";
import type { KubeconfigMetrics } from "./metrics.ts";
import { type Request, secretNameOf } from "./names.ts";
import type { Patience } from "./patience.ts";
import { findPublished, isAsPublished } from "./publish.ts";
import { clusterOf, isRevoked, type Seen } from "./seen.ts";
import type { AccessNamespaces } from "./target/access-namespaces.ts";

export interface KubeconfigSettings {
  /** How long the kubeconfig before is good after a rotation that was asked for. */
  rotationGraceMs: number;
  /** Whether rules are granted by which whoever has them can take more. */
  allowEscalating: boolean;
}

export interface Surroundings {
  client: Client;
  requests: OwnWrites<KubeconfigRequest>;
  clusters: Informer<Cluster>;
  garden: Pick<Garden, "client" | "namespace" | "shoots">;
  access: TargetAccess;
  accessNamespaces: AccessNamespaces;
  recorder: EventRecorder;
  metrics: KubeconfigMetrics;
  patience: Patience;
  secrets: WatchedSecrets;
  settings: KubeconfigSettings;
  clock: Clock;
  startedAt: number;
  log: Logger;
}

/** What a server was asked about after a copy did not show it. */
export type Confirmed = { gone: NonNullable<Seen["gone"]> } | { cluster: Stored<Cluster>; shoot?: Stored<Shoot> };

export async function gather(
  key: ObjectKey,
  confirmed: Confirmed | undefined,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Seen | undefined> {
  const request = around.requests.get(key);
  if (!request) return undefined;
  const { clock, settings, startedAt } = around;
  const { namespace, name } = clusterOf(request);
  const found = confirmed && "cluster" in confirmed ? confirmed : undefined;
  const gone = confirmed && "gone" in confirmed ? confirmed.gone : undefined;
  const cluster = gone === "cluster" ? undefined : (found?.cluster ?? around.clusters.get(makeKey(namespace, name)));
  const shoot = found?.shoot ?? (cluster && shootOf(cluster, around));
  const isUnseen = !cluster || (isShootUnseen(cluster, around) && !shoot);
  const seen: Seen = {
    request,
    cluster,
    shoot,
    gone,
    doubt: isUnseen && !gone,
    secrets: sightOf(request, around),
    copyLost: false,
    isAnswerStuck: false,
    now: clock.now(),
    startedAt,
    graceMs: settings.rotationGraceMs,
    allowEscalating: settings.allowEscalating,
  };
  return { ...seen, copyLost: await isCopyLost(seen, around, signal) };
}

function shootOf({ status }: Cluster, { garden }: Surroundings): Stored<Shoot> | undefined {
  const { name = "", uid } = status?.shootRef ?? {};
  const shoot = garden.shoots.get(makeKey(garden.namespace, name));
  return shoot?.metadata.uid === uid ? shoot : undefined;
}

function isShootUnseen(cluster: Cluster, around: Surroundings): boolean {
  return cluster.status?.shootRef !== undefined && around.garden.shoots.hasSynced && !shootOf(cluster, around);
}

/** Asks the servers themselves. */
export async function confirm({ request }: Seen, around: Surroundings, signal: AbortSignal): Promise<Confirmed> {
  const { namespace, name } = clusterOf(request);
  const cluster = await orMissing(around.client.get(Clusters, namespace, name, { signal }));
  if (!cluster) return { gone: "cluster" };
  const { shootRef } = cluster.status ?? {};
  if (!shootRef || !isShootUnseen(cluster, around)) return { cluster };
  const { garden } = around;
  const shoot = await orMissing(garden.client.get(Shoots, garden.namespace, shootRef.name, { signal }));
  return shoot?.metadata.uid === shootRef.uid ? { cluster, shoot } : { gone: "shoot" };
}

async function orMissing<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function sightOf(request: Request, { secrets }: Surroundings): Sight {
  const { metadata, spec } = request;
  return spec.output === "Secret" ? secrets.sightOf(metadata.namespace ?? "", secretNameOf(request)) : "clear";
}

async function isCopyLost(seen: Seen, { client, secrets }: Surroundings, signal: AbortSignal): Promise<boolean> {
  const { request } = seen;
  const { metadata, spec, status } = request;
  if (!status?.secretRef || spec.output !== "Secret" || metadata.deletionTimestamp || isRevoked(seen)) return false;
  if (seen.secrets !== "clear") return false;
  const watched = secrets.get(metadata.namespace ?? "", secretNameOf(request));
  if (watched && isAsPublished(request, watched)) return false;
  // Another's write may have come to the one copy and not yet to the other.
  const secret = await findPublished(client, request, signal);
  return !secret || !isAsPublished(request, withDigests(secret));
}
