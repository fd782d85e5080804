/** CustomResourceDefinitions of the kinds that the gateway serves, for a cluster to which nobody has brought the real ones. */
import { type Condition, defineResource, type KubeObject } from "@berg/apimachinery";
import { gatewayGroup } from "../kinds.ts";
import type { Schema } from "./schema-parts.ts";
import { gatewayClassSchema, gatewaySchema, httpRouteSchema, tlsRouteSchema } from "./schemas.ts";

export interface Crd extends KubeObject {
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string; singular?: string; listKind?: string; shortNames?: string[] };
    versions: CrdVersion[];
  };
  status?: { conditions?: Condition[] };
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  schema?: { openAPIV3Schema: object };
  subresources?: object;
  additionalPrinterColumns?: object[];
}

export const CustomResourceDefinitions = defineResource<Crd>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

/** By this we know those that we brought, and may bring up to date. */
export const oursAnnotation = "local.berg.norelect.ch/gateway-kinds";

const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const column = (name: string, jsonPath: string) => ({ name, type: "string", jsonPath });
const condition = (type: string) => column(type, `.status.conditions[?(@.type=="${type}")].status`);
const hostnames = column("Hostnames", ".spec.hostnames");

interface KindOptions {
  plural: string;
  kind: string;
  schema: Schema;
  columns: object[];
  scope?: "Cluster";
  shortNames?: string[];
  /** Those that are served, the stored one first. */
  versions?: string[];
}

const kinds: KindOptions[] = [
  {
    plural: "gatewayclasses",
    kind: "GatewayClass",
    schema: gatewayClassSchema,
    columns: [column("Controller", ".spec.controllerName"), condition("Accepted"), age],
    scope: "Cluster",
    shortNames: ["gc"],
  },
  {
    plural: "gateways",
    kind: "Gateway",
    schema: gatewaySchema,
    columns: [
      column("Class", ".spec.gatewayClassName"),
      column("Address", ".status.addresses[*].value"),
      condition("Programmed"),
      age,
    ],
    shortNames: ["gtw"],
  },
  { plural: "httproutes", kind: "HTTPRoute", schema: httpRouteSchema, columns: [hostnames, age] },
  {
    plural: "tlsroutes",
    kind: "TLSRoute",
    schema: tlsRouteSchema,
    columns: [age],
    // What was written before Gateway API 1.5.
    versions: ["v1", "v1alpha2"],
  },
];

export const gatewayCrds: readonly Crd[] = kinds.map(makeCrd);

function makeCrd({ plural, kind, schema, columns, scope, shortNames, versions = ["v1"] }: KindOptions): Crd {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${gatewayGroup}`,
      annotations: {
        // Kinds of Kubernetes' own project have to say whether it agreed.
        "api-approved.kubernetes.io": "unapproved, Berg's own for one machine",
        [oursAnnotation]: "true",
      },
    },
    spec: {
      group: gatewayGroup,
      scope: scope ?? "Namespaced",
      names: {
        kind,
        plural,
        singular: kind.toLowerCase(),
        listKind: `${kind}List`,
        ...(shortNames && { shortNames }),
      },
      versions: versions.map((name, place) => ({
        name,
        served: true,
        storage: place === 0,
        schema: { openAPIV3Schema: schema },
        subresources: { status: {} },
        additionalPrinterColumns: columns,
      })),
    },
  };
}
