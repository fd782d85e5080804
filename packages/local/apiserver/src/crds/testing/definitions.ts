/** CustomResourceDefinitions for tests: a good one, and many that are not. */
import type { Schema } from "../../schema/schema.ts";
import type { DefinitionDraft, DefinitionSpec, Version } from "../definition.ts";

export const group = "crds.berg.test";
const object: Schema = { type: "object" };
const spec: Schema = {
  type: "object",
  properties: {
    size: { type: "integer" },
    color: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
  },
};
export const schema: Schema = { type: "object", properties: { spec, status: object } };

export function version(name: string, more: Partial<Version> = {}): Version {
  return { name, served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
}

export function definition(
  plural: string,
  more: Partial<DefinitionSpec> = {},
  annotations?: Record<string, string>,
): DefinitionDraft {
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${more.group ?? group}`, ...(annotations && { annotations }) },
    spec: { group, scope: "Namespaced", names: { plural, kind }, versions: [version("v1")], ...more },
  };
}

const v1 = (more: Partial<Version>): Partial<DefinitionSpec> => ({ versions: [version("v1", more)] });
const column = (more: object) => ({ name: "Size", type: "integer", jsonPath: ".spec.size", ...more });
const names = (more: object) => ({ names: { plural: "odds", kind: "Odd", ...more } });
const fields = (...paths: string[]) => v1({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
const scale = (specReplicasPath: string, statusReplicasPath: string, labelSelectorPath?: string) =>
  v1({
    subresources: { scale: { specReplicasPath, statusReplicasPath, ...(labelSelectorPath && { labelSelectorPath }) } },
  });

/** What is wrong with each, or not, a real API server says. */
export const odd: readonly (readonly [what: string, crd: DefinitionDraft])[] = [
  ["nothing", definition("odds")],
  ["another name", { ...definition("odds"), metadata: { name: `evens.${group}` } }],
  ["no dot in the group", definition("odds", { group: "berg" })],
  ["a bad group", definition("odds", { group: "Berg.test" })],
  ["an unknown scope", definition("odds", { scope: "Global" as never })],
  ["no versions", definition("odds", { versions: [] })],
  ["no schema", definition("odds", v1({ schema: {} }))],
  ["a bad version", definition("odds", { versions: [version("1")] })],
  ["a version twice", definition("odds", { versions: [version("v1"), version("v1", { storage: false })] })],
  ["no storage", definition("odds", v1({ storage: false }))],
  ["two storages", definition("odds", { versions: [version("v1"), version("v2")] })],
  ["a bad kind", definition("odds", names({ kind: "Odd_" }))],
  ["a bad plural", definition("odds", { names: { plural: "Odds", kind: "Odd" } })],
  ["a bad singular", definition("odds", names({ singular: "Odd" }))],
  ["the kind as list kind", definition("odds", names({ listKind: "Odd" }))],
  ["bad short names", definition("odds", names({ shortNames: ["ok", "Not", ""] }))],
  ["bad categories", definition("odds", names({ categories: ["all", "a.b"] }))],
  ["a warning without being deprecated", definition("odds", v1({ deprecationWarning: "soon" }))],
  ["an empty warning", definition("odds", v1({ deprecated: true, deprecationWarning: "" }))],
  ["a long warning", definition("odds", v1({ deprecated: true, deprecationWarning: "x".repeat(257) }))],
  [
    "a schema that is not structural",
    definition("odds", v1({ schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } } })),
  ],
  ["a list at the root", definition("odds", v1({ schema: { openAPIV3Schema: { type: "array", items: object } } }))],
  [
    "schemas that are not structural, each in its own way",
    definition("odds", {
      versions: [
        version("v1", { schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } } }),
        version("v2", { storage: false, schema: { openAPIV3Schema: { type: "object", properties: { other: {} } } } }),
      ],
    }),
  ],
  [
    "a bad rule in one version",
    definition("odds", {
      versions: [
        version("v1"),
        version("v2", {
          storage: false,
          schema: { openAPIV3Schema: { ...schema, "x-kubernetes-validations": [{ rule: "self.nope" }] } },
        }),
      ],
    }),
  ],
  ["a column without a name", definition("odds", v1({ additionalPrinterColumns: [column({ name: "" })] }))],
  ["a column of no type", definition("odds", v1({ additionalPrinterColumns: [column({ type: "" })] }))],
  ["a column of another type", definition("odds", v1({ additionalPrinterColumns: [column({ type: "text" })] }))],
  ["a column of another format", definition("odds", v1({ additionalPrinterColumns: [column({ format: "int" })] }))],
  ["a column without a path", definition("odds", v1({ additionalPrinterColumns: [column({ jsonPath: "" })] }))],
  ["a column with a bare path", definition("odds", v1({ additionalPrinterColumns: [column({ jsonPath: "spec" })] }))],
  [
    "different columns",
    definition("odds", {
      versions: [
        version("v1"),
        version("v2", { storage: false, additionalPrinterColumns: [column({ type: "text" })] }),
      ],
    }),
  ],
  ["a scale", definition("odds", scale(".spec.size", ".status.size"))],
  ["a scale elsewhere", definition("odds", scale(".status.size", ".spec.size", ".metadata.labels"))],
  ["a scale of bare paths", definition("odds", scale("spec.size", "status.size", "status.selector"))],
  ["a scale of nothing", definition("odds", scale("", ""))],
  ["selectable fields", definition("odds", fields(".spec.color", ".spec.size"))],
  ["a selectable list", definition("odds", fields(".spec.tags"))],
  ["an unknown selectable field", definition("odds", fields(".spec.nope"))],
  ["a selectable item", definition("odds", fields(".spec.tags[0]"))],
  ["a bare selectable path", definition("odds", fields("spec.color"))],
  ["a selectable field twice", definition("odds", fields(".spec.color", ".spec.color"))],
  ["an empty selectable path", definition("odds", fields(""))],
  ["unknown fields preserved", definition("odds", { preserveUnknownFields: true })],
  ["an unknown conversion", definition("odds", { conversion: { strategy: "" } })],
  ["a community group", definition("odds", { group: "berg.k8s.io" })],
  [
    "a community group, approved",
    definition("odds", { group: "berg.k8s.io" }, { "api-approved.kubernetes.io": "https://example.com/1" }),
  ],
  [
    "a community group, unapproved",
    definition("odds", { group: "berg.k8s.io" }, { "api-approved.kubernetes.io": "unapproved, trying" }),
  ],
  ["a community group, somehow", definition("odds", { group: "berg.k8s.io" }, { "api-approved.kubernetes.io": "yes" })],
];
