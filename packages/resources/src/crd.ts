import type { KubeObject } from "@berg/apimachinery";
import { clusterDefinitions } from "./cluster-definitions.ts";
import { type Definition, definitions, type PrinterColumn } from "./definitions.ts";
import { type StructuralSchema, structuralSchema } from "./structural.ts";

export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string;
    scope: "Namespaced" | "Cluster";
    names: {
      kind: string;
      listKind: string;
      plural: string;
      singular: string;
      shortNames: string[];
      categories: string[];
    };
    versions: {
      name: string;
      served: boolean;
      storage: boolean;
      schema: { openAPIV3Schema: StructuralSchema };
      subresources?: { status: Record<string, never> };
      selectableFields?: { jsonPath: string }[];
      additionalPrinterColumns: PrinterColumn[];
    }[];
  };
}

function toCustomResourceDefinition(definition: Definition): CustomResourceDefinition {
  const { resource, singular, shortNames, categories, columns, selectableFields } = definition;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${resource.resource}.${resource.group}` },
    spec: {
      group: resource.group,
      scope: resource.namespaced ? "Namespaced" : "Cluster",
      names: {
        kind: resource.kind,
        listKind: `${resource.kind}List`,
        plural: resource.resource,
        singular,
        shortNames,
        categories,
      },
      versions: [
        {
          name: resource.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: structuralSchema(definition.schema) },
          ...(definition.statusSubresource && { subresources: { status: {} } }),
          selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })),
          additionalPrinterColumns: columns,
        },
      ],
    },
  };
}

/** The definitions of the kinds that every Berg has, as they stand in `crds/`. */
export function customResourceDefinitions(): CustomResourceDefinition[] {
  return definitions.map(toCustomResourceDefinition);
}

/** Those of `berg clusters`, as they stand in `crds/clusters/`. */
export function clusterResourceDefinitions(): CustomResourceDefinition[] {
  return clusterDefinitions.map(toCustomResourceDefinition);
}
