/** What is wrong with one field, in the words in which the API server says it. */
import type { z } from "zod";

export interface FieldError {
  /** Such as `["spec", "containers", 0, "image"]`. */
  path: FieldPath;
  /** Such as `spec.containers[0].image`. */
  field: string;
  /** Such as `Invalid value: "a b": must not contain spaces`. */
  message: string;
}

/** `spec.ownerId: Required value` */
export function formatFieldError({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

/** Whether the error is about a field that the schema does not have. */
export function isUnknownField({ message }: FieldError): boolean {
  return message === unknownField;
}

const unknownField = "Forbidden: there is no such field";

export type FieldPath = readonly (string | number)[];

type Path = readonly PropertyKey[];

/** `fieldError(["spec", "ownerId"], "Required value")` */
export function fieldError(path: Path, message: string): FieldError {
  const parts = path.map((part) => (typeof part === "number" ? part : String(part)));
  return { path: parts, field: fieldName(parts), message };
}

/** `["spec", "ports", 0, "name"]` is `spec.ports[0].name`. */
export function fieldName(path: Path): string {
  return path
    .map((part, i) => (typeof part === "number" ? `[${part}]` : `${i > 0 ? "." : ""}${String(part)}`))
    .join("");
}

/** What zod found wrong with `root`. */
export function fieldErrors(issues: readonly z.core.$ZodIssue[], root: unknown): FieldError[] {
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => fieldError([...issue.path, key], unknownField));
    }
    return [fieldError(issue.path, describe(issue, issue.path, valueAt(root, issue.path)))];
  });
}

function describe(issue: z.core.$ZodIssue, path: Path, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return wrongType([issue.expected], value);
    case "invalid_union":
      return describeUnion(issue.errors, path, value);
    case "invalid_value":
      if (value === undefined) return "Required value";
      return `Unsupported value: ${quoted(path, value)}supported values: ${issue.values.map((v) => JSON.stringify(v)).join(", ")}`;
    case "too_big":
      if (issue.origin === "string") return `Too long: may not be more than ${issue.maximum} characters`;
      if (issue.origin === "array")
        return `Too many: ${(value as unknown[]).length}: must have at most ${issue.maximum} items`;
      if (issue.origin === "map") return `Too many: must have at most ${issue.maximum} entries`;
      return invalid(path, value, `must be ${issue.maximum} or less`);
    case "too_small":
      if (issue.origin === "string") return "Required value: must not be empty";
      if (issue.origin === "array") return `Too few: must have at least ${issue.minimum} item`;
      return invalid(path, value, `must be ${issue.minimum} or more`);
    case "custom":
      if (issue.params?.duplicate) return `Duplicate value: ${issue.params.duplicate}`;
      return `Invalid value: ${issue.message}`;
    default:
      return invalid(path, value, issue.message);
  }
}

// Of a union, the branch counts whose type the value has.
function describeUnion(branches: z.core.$ZodIssue[][], path: Path, value: unknown): string {
  const first = branches.flatMap((issues) => issues.slice(0, 1));
  const ofItsType = first.find(({ code }) => code !== "invalid_type");
  if (ofItsType) return describe(ofItsType, path, value);
  return wrongType(
    first.flatMap((issue) => (issue.code === "invalid_type" ? issue.expected : [])),
    value,
  );
}

const typeNames: Record<string, string> = { int: "integer", record: "object" };

function wrongType(expected: string[], value: unknown): string {
  if (value === undefined) return "Required value";
  const wanted = [...new Set(expected.map((type) => typeNames[type] ?? type))].join(" or ");
  return `Invalid value: "${typeOf(value)}": must be of type ${wanted}`;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function invalid(path: Path, value: unknown, problem: string): string {
  return `Invalid value: ${quoted(path, value)}${problem}`;
}

// These hold flags, hints and passwords, and the text of an error ends up in logs and tickets.
const secretFields = ["flag", "flags", "hints", "environment"];

function quoted(path: Path, value: unknown): string {
  const isSecret = path.some((part) => secretFields.includes(String(part)));
  return isSecret ? "" : `${JSON.stringify(value)}: `;
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<PropertyKey, unknown> | undefined)?.[part], root);
}
