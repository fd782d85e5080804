/** What is kept of a Secret: that it is there, whose it is, and a digest of each of its values. Nothing of it is secret. */
import { createHash } from "node:crypto";
import type { KubeObject, ResourceType, Stored } from "@berg/apimachinery";
import { type Secret, Secrets, type Transform } from "@berg/kube";

export interface WatchedSecret extends KubeObject {
  /** By key: the SHA-256 of what stands in `data`. */
  digests: Record<string, string>;
}

/** Secrets as their copy has them: to be used with `keepDigests` alone. */
export const DigestedSecrets = Secrets as ResourceType<KubeObject> as ResourceType<WatchedSecret>;

/** What the server sends has its data still. */
export const keepDigests: Transform<WatchedSecret> = (sent) => withDigests(sent as KubeObject as Stored<Secret>);

const keptFields: readonly string[] = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "labels",
  "ownerReferences",
];
/** Others' annotations may hold anything: kubectl puts the whole manifest there. */
const ownAnnotations = "operator.kyma-project.io/";

export function withDigests({ apiVersion, kind, metadata, data }: Stored<Secret>): Stored<WatchedSecret> {
  const kept = Object.entries(metadata).filter(([field]) => keptFields.includes(field));
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => name.startsWith(ownAnnotations));
  const digests = Object.entries(data ?? {}).map(([key, value]) => [key, digestOf(value)]);
  return {
    apiVersion,
    kind,
    metadata: { ...Object.fromEntries(kept), annotations: Object.fromEntries(annotations) },
    digests: Object.fromEntries(digests),
  } as Stored<WatchedSecret>;
}

/** Of a credential: too long to be guessed from this. */
export function digestOf(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}
