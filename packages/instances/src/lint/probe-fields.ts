import { quoted } from "@berg/apimachinery";
import type { FieldPath } from "@berg/resources";
import { error, type Problem, warning } from "./problem.ts";

export type Fields = Record<string, unknown>;
export type FieldType = "text" | "texts" | "count" | "port" | "headers";

const isText = (value: unknown) => typeof value === "string";
const largestCount = 2 ** 31 - 1;

const types: Record<FieldType, { holds: (value: unknown) => boolean; is: string }> = {
  text: { holds: isText, is: "a text" },
  texts: { holds: (value) => Array.isArray(value) && value.every(isText), is: "a list of texts" },
  count: {
    holds: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= largestCount,
    is: "a whole number from 0",
  },
  port: { holds: (value) => typeof value === "number" || isText(value), is: "a port" },
  headers: {
    holds: (value) => Array.isArray(value) && value.every(isHeader),
    is: "a list of headers such as { name: Host, value: example.com }",
  },
};

function isHeader(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { name, value: text } = value;
  return (
    isText(name) && /^[-A-Za-z0-9]+$/.test(name as string) && (text === undefined || text === null || isText(text))
  );
}

/** What is not of its type, which the API server refuses, and what is unknown, which it drops without a word. */
export function fieldProblems(fields: Fields, known: Record<string, FieldType>, at: FieldPath): Problem[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const type = Object.hasOwn(known, name) ? known[name] : undefined;
    if (type === undefined) {
      const fix = `use one of ${Object.keys(known).join(", ")}, or remove it`;
      return [warning([...at, name], `Kubernetes knows no ${quoted(name)} here and ignores it`, fix)];
    }
    if (value === null || value === undefined || types[type].holds(value)) return [];
    return [error([...at, name], `it is not ${types[type].is}`, "correct it, or remove it")];
  });
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
