/** Objects as rows, as `kubectl get` shows them. */
import type { ListMeta } from "@berg/apimachinery";
import { badRequest } from "../errors/refusals.ts";
import type { AnyObject, RowCondition, ServedResource } from "../registry/resource.ts";
import type { Form } from "./form.ts";

export type IncludeObject = "None" | "Metadata" | "Object";

export interface Table {
  kind: "Table";
  apiVersion: Form["metaVersion"];
  metadata: ListMeta;
  columnDefinitions: ColumnDefinition[] | null;
  rows: Row[];
}

interface ColumnDefinition {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

interface Row {
  cells: unknown[];
  conditions?: readonly RowCondition[];
  object: unknown;
}

export interface TableOptions {
  metaVersion: Form["metaVersion"];
  includeObject: IncludeObject;
  /** ms since 1970: ages are counted up to here. */
  now: number;
}

/** `includeObject` of the query. */
export function readIncludeObject(query: URLSearchParams): IncludeObject {
  const text = query.get("includeObject") || "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Within a watch only the first table says what its columns are. */
export function tableOf(
  resource: ServedResource,
  objects: readonly AnyObject[],
  metadata: ListMeta,
  options: TableOptions,
  hasColumns = true,
): Table {
  return {
    kind: "Table",
    apiVersion: options.metaVersion,
    metadata,
    columnDefinitions: hasColumns ? resource.columns.map(definitionOf) : null,
    rows: objects.map((object) => rowOf(resource, object, options)),
  };
}

function definitionOf({ name, type, format = "", description, priority }: ServedResource["columns"][number]) {
  return { name, type, format, description, priority };
}

function rowOf(
  { columns, rowConditions }: ServedResource,
  object: AnyObject,
  { metaVersion, includeObject, now }: TableOptions,
): Row {
  const conditions = rowConditions?.(object) ?? [];
  return {
    cells: columns.map((column) => cellOf(column, object, now)),
    ...(conditions.length > 0 && { conditions }),
    object:
      includeObject === "None"
        ? null
        : includeObject === "Object"
          ? object
          : { kind: "PartialObjectMetadata", apiVersion: metaVersion, metadata: object.metadata },
  };
}

/** A bookmark is an object with nothing in it, for which no column is made. */
function cellOf(column: ServedResource["columns"][number], object: AnyObject, now: number): unknown {
  try {
    return column.value(object, now) ?? null;
  } catch {
    return null;
  }
}
