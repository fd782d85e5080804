/** What names a custom kind may have. */
import { type FieldError, invalid, required } from "../errors/field-error.ts";
import { label1035Problems } from "../schema/metadata/names.ts";
import type { Names } from "./definition.ts";

/** Those that every kind must have. */
export function missingNames({ plural, singular, kind, listKind }: Partial<Names>, path: string): FieldError[] {
  const needed = { plural, singular, kind, listKind };
  return Object.entries(needed).flatMap(([name, value]) => (value ? [] : [required(`${path}.${name}`)]));
}

export function nameErrors(names: Partial<Names>, path: string): FieldError[] {
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = names;
  const errors = [
    ...label(`${path}.plural`, plural),
    ...label(`${path}.singular`, singular),
    ...mixedCase(`${path}.kind`, kind),
    ...mixedCase(`${path}.listKind`, listKind),
    ...(shortNames ?? []).flatMap((name, at) => label(`${path}.shortNames[${at}]`, name, true)),
  ];
  if (kind && kind === listKind) {
    errors.push(invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same"));
  }
  return [...errors, ...(categories ?? []).flatMap((name, at) => label(`${path}.categories[${at}]`, name, true))];
}

function label(field: string, value = "", isNeeded = false): FieldError[] {
  const problems = value === "" && !isNeeded ? [] : label1035Problems(value);
  return problems.length === 0 ? [] : [invalid(field, value, problems.join(","))];
}

function mixedCase(field: string, value = ""): FieldError[] {
  const problems = value === "" ? [] : label1035Problems(value.toLowerCase());
  if (problems.length === 0) return [];
  return [invalid(field, value, `may have mixed case, but should otherwise match: ${problems.join(",")}`)];
}
