/** What the query of a create, update or patch says: a trial run, who writes, and what unknown fields lead to. */
import {
  type FieldError,
  invalid as fieldInvalid,
  forbidden,
  notSupported,
  required,
  tooLong,
} from "../errors/field-error.ts";
import { invalid } from "../errors/refusals.ts";
import type { WriteOptions } from "../registry/verbs.ts";
import { readFlag, readOptionalFlag, readText } from "./address.ts";

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

const longestManager = 128;
const validations = ["", "Ignore", "Strict", "Warn"] as const;

export function readWriteOptions(query: URLSearchParams, kind: "CreateOptions" | "UpdateOptions"): WriteOptions {
  refuse(kind, problemsOf(query));
  return optionsOf(query);
}

/** `isApply`: whether the body is an applied object rather than a change. */
export function readPatchOptions(query: URLSearchParams, isApply: boolean): WriteOptions & { force: boolean } {
  const force = readOptionalFlag(query, "force");
  const problems: FieldError[] = [];
  if (isApply && !readText(query, "fieldManager"))
    problems.push(required("fieldManager", "is required for apply patch"));
  if (!isApply && force !== undefined) problems.push(forbidden("force", "may not be specified for non-apply patch"));
  refuse("PatchOptions", [...problems, ...problemsOf(query)]);
  return { ...optionsOf(query), force: readFlag(query, "force") };
}

/** `All` is the only trial run there is, however often it is said. */
export function dryRunProblems(values: readonly unknown[]): FieldError[] {
  return values.every((value) => value === "All") ? [] : [notSupported("dryRun", values, ["All"])];
}

function problemsOf(query: URLSearchParams): FieldError[] {
  const validation = query.get("fieldValidation") ?? "";
  return [
    ...managerProblems(query.get("fieldManager") ?? ""),
    ...dryRunProblems(query.getAll("dryRun")),
    ...(validations.includes(validation as (typeof validations)[number])
      ? []
      : [notSupported("fieldValidation", validation, validations)]),
  ];
}

function managerProblems(manager: string): FieldError[] {
  const problems = Buffer.byteLength(manager) > longestManager ? [tooLong("fieldManager", longestManager)] : [];
  let position = 0;
  for (const character of manager) {
    if (isPrintable(character)) {
      position += Buffer.byteLength(character);
      continue;
    }
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return [
      ...problems,
      fieldInvalid("fieldManager", manager, `invalid character U+${code} (at position ${position})`),
    ];
  }
  return problems;
}

export function isPrintable(character: string): boolean {
  return character === " " || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character);
}

function optionsOf(query: URLSearchParams): WriteOptions {
  const fieldManager = readText(query, "fieldManager");
  return {
    isDryRun: query.has("dryRun"),
    ...(fieldManager !== undefined && { fieldManager }),
    fieldValidation: (readText(query, "fieldValidation") ?? "Warn") as WriteOptions["fieldValidation"],
  };
}

function refuse(kind: OptionsKind, problems: FieldError[]): void {
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind, name: "" }, problems);
}
