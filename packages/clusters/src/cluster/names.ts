/** Names of what is made for a Cluster. They come from what never changes, so that a second try makes the same thing. */
import { createHash } from "node:crypto";

/** Gardener allows so many characters for the names of project and Shoot together. */
export const longestShootAndProject = 21;

/** The letters and digits of base 32, in lower case. */
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

export function shootNameOf(cluster: {
  metadata: { uid: string };
  spec: { core?: { shootName?: string | undefined } | undefined };
  status?: { shootRef?: { name: string } | undefined } | undefined;
}): string {
  // The recorded one first: the Shoot that was made does not move when somebody asks for another name.
  return cluster.status?.shootRef?.name ?? cluster.spec.core?.shootName ?? `c-${shortHash(cluster.metadata.uid)}`;
}

/** In the garden: what the API server of this Shoot is told about OIDC. */
export function authenticationNameOf(shootName: string): string {
  return `${shootName}-authentication`;
}

/** In the target. */
export function adminBindingNameOf(user: string): string {
  return `cluster-operator:admin:${sha256(user).toString("hex").slice(0, 16)}`;
}

/** `garden-<project>` is the namespace of a project. */
export function projectOf(gardenNamespace: string): string {
  return gardenNamespace.replace(/^garden-/, "");
}

/** Always the same one for the same text. */
export function numberOf(text: string): number {
  return sha256(text).readUInt32BE();
}

export function digestOf(text: string): string {
  return sha256(text).toString("hex").slice(0, 16);
}

function shortHash(text: string): string {
  return [...sha256(text).subarray(0, 8)].map((byte) => alphabet[byte % alphabet.length]).join("");
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
