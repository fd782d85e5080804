/** CustomResourceDefinitions for tests. */
import type { Schema } from "../schema.ts";

export function crdOf(plural: string, schema: Schema): Record<string, unknown> {
  const kind = plural.slice(0, 1).toUpperCase() + plural.slice(1, -1);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.schema.example` },
    spec: {
      group: "schema.example",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

export const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
