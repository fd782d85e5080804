/** What is kept of a Secret: that it is there, whose it is, and a digest of each of its values. Nothing of it is secret. */
import { createHash } from "node:crypto";
import type { KubeObject, ResourceType, Stored } from "@berg/apimachinery";
import { type Secret, Secrets, type Transform } from "@berg/kube";
import { labels } from "../vocabulary.ts";

export interface WatchedSecret extends KubeObject {
  /** By key: the SHA-256 of what stands in `data`. */
  digests: Record<string, string>;
}

/** Secrets as their copy has them: to be used with `keepDigests` alone. */
export const DigestedSecrets = Secrets as ResourceType<KubeObject> as ResourceType<WatchedSecret>;

/** What the server sends has its data still. */
export const keepDigests: Transform<WatchedSecret> = (sent) => withDigests(sent as KubeObject as Stored<Secret>);

const identity: readonly string[] = ["name", "namespace", "uid", "resourceVersion"];
const belonging: readonly string[] = ["creationTimestamp", "deletionTimestamp", "ownerReferences"];
/** Others' marks may hold anything: kubectl puts the whole manifest into an annotation. */
const ownPrefix = "operator.kyma-project.io/";
/**
 * Far more than one of ours has. Anybody can give a Secret our label, and owners or keys without end: of such a one no more
 * is known than that it is there, so that it counts as changed.
 */
const most = { characters: 16_384, keys: 64 };

export function withDigests({ apiVersion, kind, metadata, data }: Stored<Secret>): Stored<WatchedSecret> {
  const only = (fields: readonly string[]) =>
    Object.fromEntries(Object.entries(metadata).filter(([field]) => fields.includes(field)));
  const whole = {
    ...only([...identity, ...belonging]),
    labels: ownOf(metadata.labels),
    annotations: ownOf(metadata.annotations),
  };
  const entries = Object.entries(data ?? {});
  const isTooMuch = entries.length > most.keys || JSON.stringify(whole).length > most.characters;
  return {
    apiVersion,
    kind,
    metadata: isTooMuch ? only(identity) : whole,
    digests: isTooMuch ? {} : Object.fromEntries(entries.map(([key, value]) => [key, digestOf(value)])),
  } as Stored<WatchedSecret>;
}

function ownOf(marks: Record<string, string> = {}): Record<string, string> {
  const isOwn = (name: string) => name === labels.managedBy || name.startsWith(ownPrefix);
  return Object.fromEntries(Object.entries(marks).filter(([name]) => isOwn(name)));
}

/** Of a credential: too long to be guessed from this. */
export function digestOf(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}
