/** The Secret beside a request that holds its kubeconfig: written, read back after a crash, taken away. */
import {
  formatTime,
  isAlreadyExists,
  isBadRequest,
  isForbidden,
  isInvalid,
  isNotFound,
  isTooLarge,
  type KubeObject,
  type StatusError,
  type Stored,
} from "@berg/apimachinery";
import { type Client, deleteChild, type Secret, Secrets } from "@berg/kube";
import { KubeconfigRequests } from "@berg/resources";
import { digestOf, type WatchedSecret, withDigests } from "../secrets/watched-secret.ts";
import { isOf, marksOf, type Request, readEpoch, secretNameOf } from "./names.ts";
import { newestEpochOf } from "./seen.ts";
import type { Issue } from "./status/issued.ts";
import { refusalOf, TargetTrouble } from "./trouble.ts";
import { conditionTypes, fieldManager, secretAnnotations as names, reasons, secretKey, texts } from "./vocabulary.ts";

/** Undefined where there is none. One of somebody else is in the way, and is left alone. */
export async function readPublished(
  client: Client,
  request: Request,
  signal: AbortSignal,
): Promise<Stored<Secret> | undefined> {
  const secret = await readSecret(client, request, signal);
  if (secret && !isOf(request, secret)) throw nameTaken(request);
  return secret;
}

/** The same; undefined, too, where it is somebody else's or may not be read: that is said when the next one is issued. */
export async function findPublished(
  client: Client,
  request: Request,
  signal: AbortSignal,
): Promise<Stored<Secret> | undefined> {
  try {
    return await readPublished(client, request, signal);
  } catch (error) {
    if (error instanceof TargetTrouble) return undefined;
    throw error;
  }
}

async function readSecret(client: Client, request: Request, signal: AbortSignal): Promise<Stored<Secret> | undefined> {
  try {
    return await client.get(Secrets, request.metadata.namespace ?? "", secretNameOf(request), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw isForbidden(error) ? forbidden(request) : error;
  }
}

function forbidden({ metadata }: Request): TargetTrouble {
  const message = texts.secretsForbidden(metadata.namespace ?? "");
  return new TargetTrouble({ type: conditionTypes.issued, reason: reasons.secretsForbidden, message, again: true });
}

function nameTaken(request: Request): TargetTrouble {
  const message = texts.secretNameTaken(secretNameOf(request));
  return new TargetTrouble({ type: conditionTypes.issued, reason: reasons.secretNameTaken, message, again: true });
}

/** By a webhook, or for what others have made of it: a word is due, and a rest before the next token is made. */
function refused(request: Request, error: StatusError): TargetTrouble {
  const message = texts.secretRefused(secretNameOf(request), refusalOf(error));
  const trouble = { type: conditionTypes.issued, reason: reasons.secretRefused, message, again: true };
  return new TargetTrouble(trouble, { cause: error });
}

/** With the version that was read: of two who publish, one is refused. */
export async function publish(
  client: Client,
  request: Request,
  issue: Issue,
  text: string,
  found: Stored<Secret> | undefined,
  signal: AbortSignal,
): Promise<Stored<Secret>> {
  const secret = secretWith(request, issue, text);
  const options = { fieldManager, signal };
  try {
    // It cannot be changed.
    if (found?.immutable) await deleteChild(client, Secrets, found, { signal });
    if (!found || found.immutable) return await client.create(Secrets, secret, options);
    const others = (found.metadata.ownerReferences ?? [])
      .filter(({ uid }) => uid !== request.metadata.uid)
      // The server takes one.
      .map((owner) => ({ ...owner, controller: false }));
    const metadata = {
      ...found.metadata,
      annotations: { ...found.metadata.annotations, ...secret.metadata.annotations },
      ownerReferences: [...others, ...secret.metadata.ownerReferences],
    };
    if (!issue.answersRotation) delete metadata.annotations[names.answers];
    return await client.update(Secrets, { ...found, metadata, data: secret.data }, options);
  } catch (error) {
    if (isAlreadyExists(error)) throw nameTaken(request);
    if (isBadRequest(error) || isInvalid(error) || isTooLarge(error)) throw refused(request, error as StatusError);
    throw isForbidden(error) ? forbidden(request) : error;
  }
}

export async function unpublish(client: Client, request: Request, signal: AbortSignal): Promise<void> {
  try {
    const secret = await readSecret(client, request, signal);
    if (secret && isOf(request, secret)) await deleteChild(client, Secrets, secret, { signal });
  } catch (error) {
    if (!(error instanceof TargetTrouble) && !isForbidden(error)) throw error;
    // A namespace that goes takes our right to Secrets before it goes itself, and would wait for us for ever. The Secret
    // goes with the request, which owns it.
    if (request.metadata.deletionTimestamp) return;
    // Whoever may not read any has not written one either, unless the status says so.
    if (request.status?.secretRef) throw forbidden(request);
  }
}

/** So many writes of the status are not lost in a row. */
const mostUntold = 1_000;

/**
 * What a Secret says of the kubeconfig in it; undefined where somebody else has written it, or part of it. A number far from
 * what the status tells is nobody's but theirs: to count on from it would come to an end.
 */
export function issueIn({ status = {} }: Request, secret: Stored<Secret>): Issue | undefined {
  const issue = issueOf(withDigests(secret));
  return issue && issue.epoch <= newestEpochOf(status) + mostUntold ? issue : undefined;
}

/** Whether it is as it was when the status of the request was written. */
export function isAsPublished(request: Request, secret: Stored<WatchedSecret>): boolean {
  return isOf(request, secret) && isOwnedBy(request, secret) && issueOf(secret)?.epoch === request.status?.epoch;
}

function isOwnedBy({ metadata: { uid } }: Request, { metadata }: KubeObject): boolean {
  return metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}

const longestWord = 64;
const longestAddress = 2048;

function issueOf({ metadata, digests }: Stored<WatchedSecret>): Issue | undefined {
  const found = metadata.annotations ?? {};
  const epoch = readEpoch(found[names.epoch] ?? "");
  const life = {
    issuedAt: Date.parse(found[names.issuedAt] ?? ""),
    expiresAt: Date.parse(found[names.expiresAt] ?? ""),
  };
  const credentialHash = word(names.credentialHash);
  const serviceAccountUid = word(names.serviceAccountUid);
  const anchorUid = word(names.anchorUid);
  const server = word(names.server, longestAddress);
  const certificateAuthorityHash = word(names.certificateAuthorityHash);
  if (epoch === undefined || Number.isNaN(life.issuedAt) || Number.isNaN(life.expiresAt)) return undefined;
  if (!credentialHash || !serviceAccountUid || !anchorUid || !server || !certificateAuthorityHash) return undefined;
  if (found[names.contents] !== digests[secretKey]) return undefined;
  return {
    epoch,
    life,
    credentialHash,
    serviceAccountUid,
    anchorUid,
    server,
    certificateAuthorityHash,
    answersRotation: found[names.answers] === "true",
  };

  /** None where it is longer than the status takes: what somebody writes here must not keep us from writing that. */
  function word(name: string, longest = longestWord): string | undefined {
    const value = found[name] ?? "";
    return value.length <= longest ? value : undefined;
  }
}

function secretWith(request: Request, issue: Issue, text: string) {
  const { metadata } = request;
  const { apiVersion, kind } = {
    apiVersion: `${KubeconfigRequests.group}/${KubeconfigRequests.version}`,
    kind: KubeconfigRequests.kind,
  };
  const value = Buffer.from(text).toString("base64");
  return {
    metadata: {
      name: secretNameOf(request),
      namespace: metadata.namespace ?? "",
      labels: marksOf(request),
      annotations: {
        [names.epoch]: String(issue.epoch),
        [names.issuedAt]: formatTime(issue.life.issuedAt),
        [names.expiresAt]: formatTime(issue.life.expiresAt),
        [names.credentialHash]: issue.credentialHash,
        [names.serviceAccountUid]: issue.serviceAccountUid,
        [names.anchorUid]: issue.anchorUid,
        [names.server]: issue.server,
        [names.certificateAuthorityHash]: issue.certificateAuthorityHash,
        [names.contents]: digestOf(value),
        ...(issue.answersRotation && { [names.answers]: "true" }),
      } as Record<string, string>,
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }],
    },
    type: "Opaque",
    data: { [secretKey]: value },
  };
}
