/** One value against one schema: its type first, then what the schema says of values of that type. */
import { additional, isRecord, type Json, own, sorted } from "../json.ts";
import type { Schema } from "../schema.ts";
import { checkCombinations } from "./combinations.ts";
import { checkNumber } from "./numbers.ts";
import type { Compared } from "./old-value.ts";
import { invalidAt, missing, moreThan, notOneOf, Outcome, type Problem, wrong } from "./outcome.ts";
import { checkFormat, checkText } from "./texts.ts";
import { checkType, isOneOf, typesOf } from "./types.ts";

/** `compared` is the value beside what was stored; undefined where nothing was, or cannot be found. */
export function checkValue(value: unknown, schema: Schema, path: string, compared?: Compared): Outcome {
  const outcome = checkPlainly(value, schema, path, compared);
  if (outcome.isValid || !compared?.isEqual) return outcome;
  const tolerated = new Outcome();
  tolerated.matches = outcome.matches;
  return tolerated;
}

function checkPlainly(value: unknown, schema: Schema, path: string, compared: Compared | undefined): Outcome {
  const outcome = new Outcome();
  if (value === null || value === undefined) {
    outcome.merge(checkType(null, schema, path));
    outcome.add(enumProblem(null, schema, path));
    return outcome;
  }
  // The counts are those of Kubernetes' validator: one for each part that looked at the value.
  if (typesOf(schema).length > 0 || schema.format) count(outcome, checkType(value, schema, path));
  count(outcome, checkCombinations(value, schema, path));
  if (typeof value === "string") {
    count(outcome, checkText(value, schema, path));
    const format = checkFormat(value, schema, path);
    if (format !== undefined) count(outcome, format);
  }
  if (typeof value === "number") count(outcome, checkNumber(value, schema, path));
  if (Array.isArray(value)) count(outcome, checkItems(value, schema, path, compared));
  outcome.add(enumProblem(value, schema, path));
  outcome.matches++;
  if (isRecord(value)) count(outcome, checkFields(value, schema, path, compared));
  outcome.matches++;
  return outcome;
}

function count(outcome: Outcome, part: Outcome): void {
  outcome.merge(part);
  outcome.matches++;
}

function enumProblem(value: unknown, schema: Schema, path: string): Problem | undefined {
  if (!schema.enum?.length || isOneOf(value, schema.enum)) return undefined;
  return notOneOf(path, value, schema.enum);
}

function checkItems(value: unknown[], schema: Schema, path: string, compared: Compared | undefined): Outcome {
  const outcome = new Outcome();
  const { items, minItems, maxItems } = schema;
  if (items)
    for (const [index, item] of value.entries())
      outcome.merge(checkValue(item, items, `${path}[${index}]`, compared?.item(index)));
  if (minItems !== undefined && value.length < minItems)
    outcome.add(wrong(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) outcome.add(moreThan(path, value.length, maxItems, "items"));
  if (schema.uniqueItems && new Set(value.map((item) => JSON.stringify(sorted(item)))).size < value.length)
    outcome.add(wrong(path, "", "shouldn't contain duplicates"));
  outcome.matches++;
  return outcome;
}

function checkFields(value: Json, schema: Schema, path: string, compared: Compared | undefined): Outcome {
  const outcome = new Outcome();
  const keys = Object.keys(value);
  const { minProperties, maxProperties, additionalProperties, required = [] } = schema;
  if (minProperties !== undefined && keys.length < minProperties)
    outcome.add(wrong(path, keys.length, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && keys.length > maxProperties)
    outcome.add(moreThan(path, keys.length, maxProperties, "properties"));
  const extra = additional(schema);
  for (const key of keys) {
    const inner = own(schema.properties, key);
    if (inner === undefined && additionalProperties === false)
      outcome.add(invalidAt(path, key, `${path}.${key} in body is a forbidden property`));
    if (inner === undefined && extra === undefined) continue;
    const place = inner === undefined || path !== "" ? `${path}.${key}` : key;
    // What an object is, is always checked: the version that is asked for may have changed.
    const isTypeField = path === "" && (key === "kind" || key === "apiVersion");
    outcome.merge(checkValue(value[key], inner ?? extra ?? {}, place, isTypeField ? undefined : compared?.field(key)));
  }
  for (const key of required) if (!Object.hasOwn(value, key)) outcome.add(missing(`${path}.${key}`));
  return outcome;
}
