/** Everything about one KubeconfigRequest at one moment, and what follows from it at once. Pure. */
import type { Stored } from "@berg/apimachinery";
import { isConditionTrue } from "@berg/kube";
import type { Cluster, KubeconfigRequestStatus } from "@berg/resources";
import type { Shoot } from "../gardener/kinds.ts";
import type { Sight } from "../secrets/watched-secrets.ts";
import { annotations } from "../vocabulary.ts";
import type { Former } from "./elsewhere.ts";
import { type Request, shortHash } from "./names.ts";
import { escalating } from "./rules/problems.ts";
import type { Life } from "./schedule.ts";

export interface Seen {
  readonly request: Request;
  /** As its copy shows it, or as the server does where the copy did not. */
  readonly cluster: Stored<Cluster> | undefined;
  /** Undefined where there is none, and where the copy of the garden's Shoots cannot tell. */
  readonly shoot: Stored<Shoot> | undefined;
  /** Cluster or Shoot: the server itself was asked, and has it no more. */
  readonly gone: "cluster" | "shoot" | undefined;
  /** It does not show in a copy that would show it; the server was not asked yet. */
  readonly doubt: boolean;
  /** Whether the Secrets beside it can be seen; clear where none of them is its own. */
  readonly secrets: Sight;
  /** The Secret that was published is not as it was published. */
  readonly copyLost: boolean;
  /** That a rotation was answered could not be written down just now. */
  readonly isAnswerStuck: boolean;
  readonly now: number;
  /** When this process began to work. */
  readonly startedAt: number;
  readonly graceMs: number;
  readonly allowEscalating: boolean;
}

/** Where the Cluster of a request is. */
export function clusterOf({ spec, metadata }: Request): { namespace: string; name: string } {
  return spec.clusterRef ?? { namespace: metadata.namespace ?? "", name: spec.cluster ?? "" };
}

/** Only the text "true" counts. */
export function isAsked(object: { metadata: { annotations?: Record<string, string> } } | undefined, what: string) {
  return object?.metadata.annotations?.[what] === "true";
}

/**
 * Whether access is to be taken away. With the Cluster goes the way to revoke, so it is done before. Rules that are refused may
 * have been granted by a version that did not refuse them: nobody keeps them until they expire.
 */
export function isRevoked(seen: Seen): boolean {
  const { request, cluster } = seen;
  if (isAsked(request, annotations.revoke) || isAsked(cluster, annotations.revokeAll)) return true;
  return (
    cluster?.metadata.deletionTimestamp !== undefined || (!isUntouched(request) && refusedRulesOf(seen).length > 0)
  );
}

/** The rules with which a holder could keep or pass on access, and why they are refused. */
export function refusedRulesOf({ request, allowEscalating }: Seen): string[] {
  return allowEscalating ? [] : escalating(request.spec);
}

/** Asked for by the annotation, and not answered by any epoch yet. */
export function isRotationAsked({ request }: Seen): boolean {
  return isAsked(request, annotations.rotate) && !isRotationAnswered(request);
}

/** There is an epoch that answers the annotation, which is not taken away yet. */
export function isRotationAnswered({ metadata, status }: Request): boolean {
  const { lastRotationRequest: answered, lastRotationEnded: ended } = status ?? {};
  return answered !== undefined && answered !== ended && answered !== metadata.annotations?.[annotations.rotated];
}

/**
 * The annotation was taken off, which another annotation tells alone: whoever replaces all of them takes that one away, and
 * may ask for a rotation at the same time.
 */
export function isRotationEndUntold({ metadata, status }: Request): boolean {
  const { lastRotationRequest: answered, lastRotationEnded: ended } = status ?? {};
  return answered !== undefined && answered !== ended && answered === metadata.annotations?.[annotations.rotated];
}

/** One that was asked for is there, and those before it may still be used. */
export function isRotating({ lastRotationRequest, retiring = [] }: KubeconfigRequestStatus): boolean {
  const answered = Number(lastRotationRequest ?? 0);
  return retiring.some(({ epoch }) => epoch < answered);
}

/** Before the first object is made in the target this is written down: without it there is nothing to take away. */
export function isUntouched({ status }: Request): boolean {
  return status?.serviceAccount === undefined;
}

export function isProvisioned(cluster: Cluster): boolean {
  return isConditionTrue(cluster.status?.conditions, "ClusterProvisioned");
}

export function lifeOf({ issuedAt, expirationTimestamp }: KubeconfigRequestStatus): Life | undefined {
  if (issuedAt === undefined || expirationTimestamp === undefined) return undefined;
  return { issuedAt: Date.parse(issuedAt), expiresAt: Date.parse(expirationTimestamp) };
}

/** When the last of all that was issued is of no use any more, by itself. */
export function allExpiredAt({ expirationTimestamp, retiring = [] }: KubeconfigRequestStatus): number {
  return Math.max(0, ...retiring.map(endOf), expirationTimestamp === undefined ? 0 : Date.parse(expirationTimestamp));
}

/** When it is of no use by itself: what was to be made useless before may not have been. */
export function endOf({ expirationTimestamp, until }: Former): number {
  return Date.parse(expirationTimestamp ?? until);
}

/** Of all that the status tells of. */
export function newestEpochOf({ epoch = 0, retiring = [] }: KubeconfigRequestStatus): number {
  return Math.max(epoch, ...retiring.map((each) => each.epoch));
}

/** The Cluster is gone before what was issued has expired: nobody can revoke it, and the cluster itself may live on. */
export function isLeftBehind({ request, cluster, gone, doubt, now }: Seen): boolean {
  const { status = {} } = request;
  if (!cluster) return allExpiredAt(status) > now;
  // With a Shoot goes what was issued for it, and not what was issued for another one before.
  const isOther = ({ serviceAccountUid: uid }: Former) => uid !== undefined && uid !== status.serviceAccountUid;
  const others = (status.retiring ?? []).filter(isOther);
  return (gone !== undefined || doubt) && allExpiredAt({ retiring: others }) > now;
}

/** One that is good can be found here. Where it waits for one, what can be found is one that was taken away. */
export function isPublished({ kubeconfig, secretRef, phase }: KubeconfigRequestStatus): boolean {
  return phase !== "Pending" && (kubeconfig !== undefined || secretRef !== undefined);
}

/** Or is about to be. */
export function isTakenAway({ phase }: KubeconfigRequestStatus): boolean {
  return phase === "Revoking" || phase === "Revoked";
}

/**
 * What a kubeconfig stands for. Where it changes, a new one is needed: the cluster, its address and keys, whom the token
 * is for, where it is put. Undefined where that cannot be told now.
 */
export function issuedFor({ request, cluster, shoot }: Seen): string | undefined {
  if (!cluster || (cluster.spec.byoc === undefined && !shoot)) return undefined;
  const { spec } = request;
  const access = [spec.output, spec.role?.namespace ?? "", spec.audiences ?? []];
  return shortHash(JSON.stringify([cluster.metadata.uid, ...placeOf(cluster, shoot), ...access]));
}

function placeOf(cluster: Cluster, shoot: Stored<Shoot> | undefined): string[] {
  const { apiServerURL = "", certificateAuthorityHash: keys } = cluster.status ?? {};
  // One that was built anew at the same address has other keys.
  if (!shoot) return [apiServerURL, ...(keys === undefined ? [] : [keys])];
  const { advertisedAddresses = [], credentials } = shoot.status ?? {};
  const named = (wanted: string) => advertisedAddresses.find(({ name }) => name === wanted);
  const address = named("external") ?? named("unmanaged");
  const { certificateAuthorities, serviceAccountKey } = credentials?.rotation ?? {};
  return [
    shoot.metadata.uid,
    address?.url ?? "",
    isPrepared(certificateAuthorities?.phase),
    isPrepared(serviceAccountKey?.phase),
  ];
}

/** While old and new keys are both good, and again when the old ones are gone: then it is time for a new kubeconfig. */
function isPrepared(phase: string | undefined): string {
  return phase === "Prepared" || phase === "Completing" ? "both" : "one";
}

/** Trouble is met again until one of these changes, or its rest is over. */
export function factsOf(seen: Seen): string {
  const { metadata } = seen.request;
  return JSON.stringify([
    metadata.generation,
    metadata.deletionTimestamp !== undefined,
    isRevoked(seen),
    isRotationAsked(seen),
    seen.secrets,
    clusterFactsOf(seen),
  ]);
}

/** Of them those that are the same for all requests of a Cluster. */
export function clusterFactsOf({ cluster, shoot, gone }: Seen): string {
  const reachable = cluster?.status?.conditions?.find(({ type }) => type === "Reachable")?.status;
  return JSON.stringify([
    gone,
    cluster?.metadata.uid,
    cluster && isProvisioned(cluster),
    reachable,
    cluster && placeOf(cluster, shoot),
    shoot?.status?.hibernated ?? false,
    shoot?.spec.hibernation?.enabled ?? false,
  ]);
}
