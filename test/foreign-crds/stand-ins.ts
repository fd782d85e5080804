/**
 * Stand-ins for the CRDs of others, for tests that may use nothing but Node. Those of the Gateway API are the ones that
 * `berg up` brings; the others take everything that the real ones take, and more. What the real ones refuse is found
 * where the real ones are.
 */
import { gatewayCrds } from "@berg/local-gateway";
import type { Crd, ForeignCrd } from "./crd-files.ts";

const kinds: Partial<Record<ForeignCrd, { group: string; kind: string; version: string }>> = {
  referencegrants: { group: "gateway.networking.k8s.io", kind: "ReferenceGrant", version: "v1" },
  ciliumnetworkpolicies: { group: "cilium.io", kind: "CiliumNetworkPolicy", version: "v2" },
};

export function standInFor(plural: ForeignCrd): Crd {
  const ours = gatewayCrds.find(({ spec }) => spec.names.plural === plural);
  if (ours) return ours as Crd;
  const described = kinds[plural];
  if (!described) throw new Error(`there is no stand-in for ${plural}`);
  const { group, kind, version } = described;
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = {
    type: "object",
    properties: { spec: anything, specs: { type: "array", items: anything }, status: anything },
  };
  const schema = { openAPIV3Schema };
  const only = { name: version, served: true, storage: true, schema, subresources: { status: {} } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      // Kinds of Kubernetes' own project have to say that they were looked at.
      annotations: { "api-approved.kubernetes.io": "unapproved, a stand-in for tests" },
    },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural },
      versions: [only],
    },
  };
}
