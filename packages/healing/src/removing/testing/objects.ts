/** Objects as the server would return them, for tables. */
import { formatTime, type Stored } from "@berg/apimachinery";
import type { Deployment, Namespace, Pod } from "@berg/kube";
import { type ChallengeInstance, labels, managedByBerg } from "@berg/resources";

/** A moment, in ms since 1970, and its text some seconds later. */
export const start = Date.parse("2026-06-01T12:00:00Z");
export const at = (seconds: number) => formatTime(start + seconds * 1000);

export const marksOf = (uid: string) => ({ [labels.managedBy]: managedByBerg, [labels.instanceUid]: uid });

interface Fields {
  uid?: string;
  namespace?: string;
  labels?: Record<string, string>;
  created?: number;
  /** When its deletion time is: both in seconds from the start. */
  deleted?: number;
}

function metadata(name: string, { uid = `uid-of-${name}`, namespace, created = 0, deleted, ...more }: Fields) {
  return {
    name,
    uid,
    resourceVersion: "1",
    creationTimestamp: at(created),
    ...(namespace !== undefined && { namespace }),
    ...(more.labels && { labels: more.labels }),
    ...(deleted !== undefined && { deletionTimestamp: at(deleted) }),
  };
}

export function makeNamespace(name: string, fields: Fields = {}): Stored<Namespace> {
  return { apiVersion: "v1", kind: "Namespace", metadata: metadata(name, fields) };
}

export function makeDeployment(name: string, fields: Fields = {}): Stored<Deployment> {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadata(name, { namespace: "challenge-a", ...fields }),
  };
}

export function makePod(name: string, fields: Fields & { phase?: string } = {}): Stored<Pod> {
  const { phase = "Running", ...rest } = fields;
  const named = metadata(name, { namespace: "challenge-a", ...rest });
  return { apiVersion: "v1", kind: "Pod", metadata: named, status: { phase } };
}

export function makeInstance(
  name: string,
  { expires, phase, ...fields }: Fields & { expires?: number; phase?: "Running" | "Terminating" } = {},
): Stored<ChallengeInstance> {
  const spec = { ownerId: "a", challengeRef: { name: "web" }, renewals: 0, restarts: 0 };
  const status = { ...(expires !== undefined && { expiresAt: at(expires) }), ...(phase && { phase }) };
  const named = metadata(name, { namespace: "berg", ...fields });
  return { apiVersion: "berg.norelect.ch/v1", kind: "ChallengeInstance", metadata: named, spec, status };
}
