/** Accounts and requests, as tests need them. */
import type { SubscriptionRequestSpec } from "@berg/resources";
import type { Account } from "../pool/account.ts";
import type { Request } from "../status.ts";

interface Marks {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  uid?: string;
  /** Who has written `tenantName`. */
  tenantBy?: string;
}

export function makeAccount(
  name: string,
  { labels = {}, annotations = {}, uid = `uid-${name}`, tenantBy }: Marks = {},
): Account {
  const fieldsV1 = { "f:metadata": { "f:labels": { "f:tenantName": {} } } };
  return {
    apiVersion: "security.gardener.cloud/v1alpha1",
    kind: "CredentialsBinding",
    metadata: {
      name,
      namespace: "garden-ctf",
      uid,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { hyperscalerType: "aws", ...labels },
      annotations,
      ...(tenantBy !== undefined && { managedFields: [{ manager: tenantBy, operation: "Update", fieldsV1 }] }),
    },
    provider: { type: "aws" },
    credentialsRef: { apiVersion: "v1", kind: "Secret", name: `${name}-secret`, namespace: "garden-ctf" },
  };
}

export const makeSpec = (spec: Partial<SubscriptionRequestSpec> = {}): SubscriptionRequestSpec => ({
  provider: "aws",
  subscriptionSelector: "t1",
  ...spec,
});

export function makeRequest(name: string, parts: Pick<Request, "status"> & { leaving?: boolean } = {}): Request {
  const { leaving = false, ...others } = parts;
  return {
    apiVersion: "control-plane.kyma-project.io/v1alpha1",
    kind: "SubscriptionRequest",
    metadata: {
      name,
      namespace: "ctf",
      uid: `uid-${name}`,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(leaving && { deletionTimestamp: "2026-01-01T01:00:00Z" }),
    },
    spec: makeSpec(),
    ...others,
  };
}
