/** What is seen of a request, for tests of what follows from it. */
import type { Stored } from "@berg/apimachinery";
import type { Cluster, ClusterStatus, KubeconfigRequestSpec, KubeconfigRequestStatus } from "@berg/resources";
import type { Shoot } from "../../gardener/kinds.ts";
import { finalizers } from "../../vocabulary.ts";
import { type Request, serviceAccountOf } from "../names.ts";
import { issuedFor, type Seen } from "../seen.ts";
import { podReader } from "./place.ts";

export const now = Date.parse("2026-01-01T12:00:00Z");
export const at = (seconds: number) => new Date(now + seconds * 1000).toISOString().replace(".000Z", "Z");

export interface RequestParts {
  name?: string;
  uid?: string;
  generation?: number;
  annotations?: Record<string, string>;
  deletedAt?: string;
  isHeld?: boolean;
  spec?: Partial<KubeconfigRequestSpec>;
  status?: KubeconfigRequestStatus;
}

export function makeRequest(parts: RequestParts = {}): Request {
  const { name = "reader", uid = "request-uid", generation = 1, annotations, deletedAt, isHeld = true, status } = parts;
  return {
    apiVersion: "operator.kyma-project.io/v1alpha1",
    kind: "KubeconfigRequest",
    metadata: {
      name,
      namespace: "default",
      uid,
      generation,
      resourceVersion: "1",
      creationTimestamp: at(-1000),
      ...(isHeld && { finalizers: [finalizers.kubeconfig] }),
      ...(annotations && { annotations }),
      ...(deletedAt !== undefined && { deletionTimestamp: deletedAt }),
    },
    spec: { cluster: "one", output: "Secret", expiration: 3600, clusterRole: { rules: [podReader] }, ...parts.spec },
    ...(status && { status }),
  };
}

export function makeCluster(
  parts: { annotations?: Record<string, string>; deletedAt?: string; isReady?: boolean } = {},
) {
  const { annotations, deletedAt, isReady = true } = parts;
  const condition = { type: "ClusterProvisioned", status: "True", reason: "Ready", message: "" };
  return {
    apiVersion: "operator.kyma-project.io/v1alpha1",
    kind: "Cluster",
    metadata: {
      name: "one",
      namespace: "default",
      uid: "cluster-uid",
      resourceVersion: "1",
      creationTimestamp: at(-2000),
      ...(annotations && { annotations }),
      ...(deletedAt !== undefined && { deletionTimestamp: deletedAt }),
    },
    spec: { core: { region: "eu" }, infrastructure: {}, administrators: [], deletionPolicy: "Delete" },
    status: { shootRef: { name: "c-one", uid: "shoot-uid" }, conditions: isReady ? [condition] : [] },
  } as unknown as Stored<Cluster>;
}

/** One that somebody brought along. */
export function makeBrought(status: ClusterStatus): Stored<Cluster> {
  const { metadata, apiVersion, kind, status: made } = makeCluster();
  const { conditions = [] } = made ?? {};
  const byoc = { kubeconfigSecretRef: { name: "one", key: "kubeconfig" } };
  const spec = { byoc, administrators: [], deletionPolicy: "Retain" as const };
  return { apiVersion, kind, metadata, spec, status: { conditions, ...status } };
}

export function makeShoot(status: Shoot["status"] = {}): Stored<Shoot> {
  return {
    apiVersion: "core.gardener.cloud/v1beta1",
    kind: "Shoot",
    metadata: {
      name: "c-one",
      namespace: "garden-x",
      uid: "shoot-uid",
      resourceVersion: "1",
      creationTimestamp: at(-1500),
    },
    spec: { region: "eu", provider: { type: "aws" } },
    status: { advertisedAddresses: [{ name: "external", url: "https://one.example" }], ...status },
  };
}

export function makeSeen(parts: Partial<Seen> = {}): Seen {
  return {
    request: makeRequest(),
    cluster: makeCluster(),
    shoot: makeShoot(),
    gone: undefined,
    doubt: false,
    secrets: "clear",
    copyLost: false,
    isAnswerStuck: false,
    now,
    startedAt: now - 3_600_000,
    graceMs: 30_000,
    allowEscalating: false,
    ...parts,
  };
}

/** As it is after an issue, `ageSeconds` ago. */
export function issuedStatus(ageSeconds = 0, more: KubeconfigRequestStatus = {}): KubeconfigRequestStatus {
  const request = makeRequest();
  return {
    phase: "Issued",
    observedGeneration: 1,
    epoch: 1,
    issuedAt: at(-ageSeconds),
    expirationTimestamp: at(3600 - ageSeconds),
    serviceAccount: serviceAccountOf(request),
    serviceAccountUid: "account-uid",
    secretRef: { name: "reader-kubeconfig", key: "kubeconfig" },
    issuedFor: issuedFor(makeSeen()) ?? "",
    ...more,
  };
}
