/** The columns of `kubectl get` for a custom kind. */
import { ParseError, parseTime } from "@berg/apimachinery";
import { goFloat, goJson } from "../errors/go-text.ts";
import { humanDuration, nameColumn } from "../kinds/columns.ts";
import type { Column } from "../registry/resource.ts";
import type { PrinterColumn, Version } from "./definition.ts";
import { compileJsonPath } from "./json-path.ts";

const age: PrinterColumn = {
  name: "Age",
  type: "date",
  description: "When the object was created.",
  jsonPath: ".metadata.creationTimestamp",
};

/** A path that cannot be read ends the table there: it is a mistake of the CRD, and the objects can still be seen. */
export function columnsOf({ additionalPrinterColumns = [] }: Version): Column[] {
  const columns: Column[] = [nameColumn];
  for (const column of additionalPrinterColumns.length > 0 ? additionalPrinterColumns : [age]) {
    const find = compileJsonPath(column.jsonPath);
    if (!find) break;
    const { name, type, format, priority = 0 } = column;
    columns.push({
      name,
      type: type as Column["type"],
      ...(format && { format }),
      description: column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
      priority,
      value: (object, now) => cell(type, find(object), now),
    });
  }
  return columns;
}

function cell(type: string, value: unknown, now: number): ReturnType<Column["value"]> {
  if (value === undefined) return null;
  switch (type) {
    case "string":
      return printed(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? since(value, now) : null;
    default:
      return null;
  }
}

function printed(value: unknown): string {
  if (typeof value === "object" && value !== null) return goJson(value);
  if (typeof value === "number" && !Number.isInteger(value)) return goFloat(value);
  return value === null ? "<nil>" : String(value);
}

function since(text: string, now: number): string {
  if (text === "" || text === "null") return "<unknown>";
  try {
    return humanDuration(now - parseTime(text));
  } catch (error) {
    if (error instanceof ParseError) return "<invalid>";
    throw error;
  }
}
