/**
 * Stand-ins for the CRDs of others, for tests that may use nothing but Node: they take everything that the real ones
 * take, and more. What the real ones refuse is found where the real ones are.
 */
import type { Crd, ForeignCrd } from "./crd-files.ts";

const gatewayApi = "gateway.networking.k8s.io";

const kinds: Record<ForeignCrd, { group: string; kind: string; versions: string[]; scope?: "Cluster" }> = {
  gatewayclasses: { group: gatewayApi, kind: "GatewayClass", versions: ["v1"], scope: "Cluster" },
  gateways: { group: gatewayApi, kind: "Gateway", versions: ["v1"] },
  httproutes: { group: gatewayApi, kind: "HTTPRoute", versions: ["v1"] },
  tlsroutes: { group: gatewayApi, kind: "TLSRoute", versions: ["v1", "v1alpha2"] },
  referencegrants: { group: gatewayApi, kind: "ReferenceGrant", versions: ["v1"] },
  ciliumnetworkpolicies: { group: "cilium.io", kind: "CiliumNetworkPolicy", versions: ["v2"] },
};

export function standInFor(plural: ForeignCrd): Crd {
  const { group, kind, versions, scope = "Namespaced" } = kinds[plural];
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = {
    type: "object",
    properties: { spec: anything, specs: anyList(anything), status: anything },
  };
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
      scope,
      names: { kind, plural },
      versions: versions.map((name, place) => ({
        name,
        served: true,
        storage: place === 0,
        schema: { openAPIV3Schema },
        subresources: { status: {} },
      })),
    },
  };
}

function anyList(items: object): object {
  return { type: "array", items };
}
