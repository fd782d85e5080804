/**
 * What a schema cannot say: that fields depend on each other, or on what they were before. Each rule is written twice,
 * in CEL for the API server and in TypeScript for validation without one; `cases.ts` holds the two together.
 */
import { jsonEqual } from "@berg/apimachinery";
import { z } from "zod";

export interface Rule<T> {
  /** Names `oldSelf` where the rule is about a change. */
  cel: string;
  message: string;
  /** The field of `self` to blame, such as `spec.zones`; without it, `self` as a whole. */
  field?: string;
  /** For a rule without `oldSelf`, `before` is the object itself. */
  holds(self: T, before: T): boolean;
}

const rules = z.registry<{ rules: Rule<unknown>[] }>();

const isAboutChange = (rule: Rule<unknown>) => rule.cel.includes("oldSelf");

export function ruled<T extends z.ZodType>(schema: T, ...added: Rule<z.output<T>>[]): T {
  const known = added as Rule<unknown>[];
  const checked = schema
    .check((context) => {
      const input = context.value;
      for (const { holds, message, field } of known.filter((rule) => !isAboutChange(rule))) {
        if (!holds(input, input)) context.issues.push({ code: "custom", path: pathOf(field), message, input });
      }
    })
    .meta({ "x-kubernetes-validations": known.map(toValidation) });
  rules.add(checked, { rules: known });
  return checked as T;
}

function pathOf(field: string | undefined): string[] {
  return field?.split(".") ?? [];
}

function toValidation({ cel, message, field }: Rule<unknown>) {
  return { rule: cel, message, ...(field && { fieldPath: `.${field}` }) };
}

interface BrokenRule {
  path: string[];
  message: string;
}

/** The rules about changes that going from `before` to `now` breaks. As on the server, both must be there to compare. */
export function brokenByChange(schema: z.ZodType, now: unknown, before: unknown, path: string[] = []): BrokenRule[] {
  if (now === undefined || before === undefined) return [];
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault) {
    return brokenByChange(schema.unwrap() as z.ZodType, now, before, path);
  }
  const broken = (rules.get(schema)?.rules ?? [])
    .filter((rule) => isAboutChange(rule) && !rule.holds(now, before))
    .map(({ message, field }) => ({ path: [...path, ...pathOf(field)], message }));
  if (!(schema instanceof z.ZodObject)) return broken;
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
    brokenByChange(field, (now as Record<string, unknown>)[name], (before as Record<string, unknown>)[name], [
      ...path,
      name,
    ]),
  );
  return [...broken, ...fields];
}

/** Once a value is there it stays as it is. */
export function setOnce<K extends string>(field: K): Rule<{ [key in K]?: unknown }> {
  return {
    cel: `!has(oldSelf.${field}) || (has(self.${field}) && self.${field} == oldSelf.${field})`,
    message: `${field} cannot be changed once it is set`,
    field,
    holds: (self, before) => before[field] === undefined || self[field] === before[field],
  };
}

/** For a field that may be left out: it is neither changed, nor set later, nor taken away. */
export function fixed<K extends string>(field: K): Rule<{ [key in K]?: unknown }> {
  return {
    cel: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message: `${field} cannot be changed, nor set or taken away later`,
    field,
    holds: (self, before) => self[field] === before[field],
  };
}

/** For a required field, or one with a default. */
export function immutable(field: string): Rule<unknown> {
  return {
    cel: "self == oldSelf",
    message: `${field} cannot be changed`,
    holds: jsonEqual,
  };
}
