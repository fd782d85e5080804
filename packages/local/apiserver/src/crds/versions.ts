/**
 * What the versions of a custom kind may say. Where all versions say the same, Kubernetes takes it as said once, of the
 * whole CRD: mistakes are then told once, under `spec` rather than under each version.
 */
import { jsonEqual } from "@berg/apimachinery";
import { duplicate, type FieldError, invalid, required, tooMany } from "../errors/field-error.ts";
import { compileRules } from "../schema/cel/compile-rules.ts";
import { label1035Problems } from "../schema/metadata/names.ts";
import type { Schema } from "../schema/schema.ts";
import { structuralProblems } from "../schema/structural/structural-problems.ts";
import { type DefinitionSpec, type PrinterColumn, type Version, versionsOf } from "./definition.ts";

type Part = "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";

const partChecks: { part: Part; shared: string; check(version: Version, path: string): FieldError[] }[] = [
  { part: "schema", shared: "spec.validation", check: schemaErrors },
  { part: "subresources", shared: "spec.subresources", check: subresourceErrors },
  { part: "additionalPrinterColumns", shared: "spec.additionalPrinterColumns", check: columnErrors },
  { part: "selectableFields", shared: "spec.selectableFields", check: selectableErrors },
];

export function versionErrors(spec: DefinitionSpec): FieldError[] {
  const versions = versionsOf(spec);
  const [first] = versions;
  const isShared = (part: Part) => versions.every((version) => jsonEqual(version[part], first?.[part]));
  const own = partChecks.filter(({ part }) => !isShared(part));
  return [
    ...versions.flatMap((version, at) => [
      ...ownErrors(version, `spec.versions[${at}]`),
      ...own.flatMap(({ part, check }) => check(version, `spec.versions[${at}].${part}`)),
    ]),
    ...countErrors(versions),
    ...(first ? labelErrors("spec.version", first.name) : []),
    ...(first
      ? partChecks.filter(({ part }) => isShared(part)).flatMap(({ shared, check }) => check(first, shared))
      : []),
  ];
}

/** Without a schema nothing could be kept. */
export function missingSchemas(spec: DefinitionSpec): FieldError[] {
  return versionsOf(spec).flatMap((version, at) =>
    version.schema?.openAPIV3Schema ? [] : [required(`spec.versions[${at}].schema.openAPIV3Schema`)],
  );
}

function ownErrors({ name, deprecated, deprecationWarning: warning }: Version, path: string): FieldError[] {
  const wrong = (text: string) => invalid(`${path}.deprecationWarning`, warning, text);
  return [
    ...labelErrors(`${path}.name`, name),
    ...(warning === undefined
      ? []
      : !deprecated
        ? [wrong("can only be set for deprecated versions")]
        : warning === ""
          ? [wrong("must not be an empty string")]
          : Buffer.byteLength(warning) > 256
            ? [wrong("must be <= 256 characters long")]
            : []),
  ];
}

function labelErrors(field: string, name: string): FieldError[] {
  const problems = label1035Problems(name);
  return problems.length === 0 ? [] : [invalid(field, name, problems.join(","))];
}

function countErrors(versions: readonly Version[]): FieldError[] {
  const shown = versions.map(({ name, served, storage, deprecated = false, deprecationWarning = null }) => ({
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: deprecated,
    DeprecationWarning: deprecationWarning,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
  const errors: FieldError[] = [];
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(invalid("spec.versions", shown, "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(invalid("spec.versions", shown, "must have exactly one version marked as storage version"));
  }
  return errors;
}

/** Rules are looked at only where the schema is sound: they are written in its terms. */
function schemaErrors({ schema, subresources }: Version, path: string): FieldError[] {
  const openApi = schema?.openAPIV3Schema;
  if (!openApi) return [];
  const place = { path: `${path}.openAPIV3Schema`, hasStatus: subresources?.status !== undefined };
  const problems = structuralProblems(openApi, place);
  return problems.length > 0 ? problems : compileRules(openApi, place.path).problems;
}

function subresourceErrors({ subresources }: Version, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: selector } = scale;
  return [
    ...scalePathErrors(`${path}.scale.specReplicasPath`, spec, [".spec."], ".spec", true),
    ...scalePathErrors(`${path}.scale.statusReplicasPath`, status, [".status."], ".status", true),
    ...scalePathErrors(
      `${path}.scale.labelSelectorPath`,
      selector,
      [".spec.", ".status."],
      "either .spec or .status",
      false,
    ),
  ];
}

function scalePathErrors(field: string, path = "", under: string[], place: string, isNeeded: boolean): FieldError[] {
  if (path === "") return isNeeded ? [required(field)] : [];
  if (!path.startsWith(".")) return [invalid(field, path, "must be a simple json path starting with .")];
  return under.some((start) => path.startsWith(start))
    ? []
    : [invalid(field, path, `should be a json path under ${place}`)];
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function columnErrors({ additionalPrinterColumns: columns = [] }: Version, path: string): FieldError[] {
  return columns.flatMap((column, at) => oneColumnErrors(column, `${path}[${at}]`));
}

function oneColumnErrors({ name, type, format = "", jsonPath }: PrinterColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${path}.name`));
  const types = `must be one of ${columnTypes.join(",")}`;
  if (!type) errors.push(required(`${path}.type`, types));
  else if (!columnTypes.includes(type)) errors.push(invalid(`${path}.type`, type, types));
  if (format !== "" && !columnFormats.includes(format)) {
    errors.push(invalid(`${path}.format`, format, `must be one of ${columnFormats.join(",")}`));
  }
  if (!jsonPath) errors.push(required(`${path}.JSONPath`));
  else if (!jsonPath.startsWith(".")) {
    errors.push(invalid(`${path}.JSONPath`, jsonPath, "must be a simple json path starting with ."));
  }
  return errors;
}

const mostSelectable = 8;
const selectableTypes: unknown[] = ["string", "boolean", "integer"];

function selectableErrors({ selectableFields = [], schema }: Version, path: string): FieldError[] {
  const openApi = schema?.openAPIV3Schema;
  if (selectableFields.length === 0 || !openApi) return [];
  const seen = new Set<string>();
  const errors = selectableFields.flatMap(({ jsonPath }, at): FieldError[] => {
    const field = `${path}[${at}].jsonPath`;
    if (!jsonPath) return [required(field)];
    const found = schemaAt(jsonPath, openApi);
    if (typeof found === "string") return [invalid(field, jsonPath, `is an invalid path: ${found}`)];
    const isRepeated = seen.has(jsonPath);
    seen.add(jsonPath);
    return [
      ...(/^\.metadata(?:\.|$)/.test(jsonPath)
        ? [invalid(field, jsonPath, "must not point to fields in metadata")]
        : []),
      ...(selectableTypes.includes(found.type) ? [] : [invalid(field, jsonPath, notSelectable)]),
      ...(isRepeated ? [duplicate(field, jsonPath)] : []),
    ];
  });
  return seen.size > mostSelectable ? [...errors, tooMany(path, seen.size, mostSelectable)] : errors;
}

const notSelectable =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";

/** Or why there is none. */
function schemaAt(path: string, schema: Schema): Schema | string {
  if (path.includes("[")) return "array notation is not allowed";
  if (!path.startsWith(".")) return `expected [ or . but got: ${path.split(/[.\]]/)[0]}`;
  let at = schema;
  for (const name of path.slice(1).split(".")) {
    if (name === "") return "unexpected end of JSON path";
    const { properties, additionalProperties: values } = at;
    const inner = properties ? (Object.hasOwn(properties, name) ? properties[name] : undefined) : values;
    if (typeof inner !== "object") return "does not refer to a valid field";
    at = inner;
  }
  return at;
}
