/** What a schema says of texts. Patterns are RE2's: they take linear time, whatever they are. */
import { RE2JS } from "re2js";
import type { Schema } from "../schema.ts";
import { checkerOf, formatOf } from "./formats/index.ts";
import { longerThan, Outcome, wrong, wrongType } from "./outcome.ts";

/** The first rule that is broken, as there. */
export function checkText(value: string, schema: Schema, path: string): Outcome {
  const outcome = new Outcome();
  const { minLength, maxLength, pattern } = schema;
  if (maxLength !== undefined && isLonger(value, maxLength)) outcome.add(longerThan(path, maxLength));
  else if (minLength && !isLonger(value, minLength - 1))
    outcome.add(wrong(path, value, `should be at least ${minLength} chars long`));
  else if (pattern && !compiled(schema, pattern).test(value))
    outcome.add(wrong(path, value, `should match '${pattern}'`));
  return outcome;
}

/** Undefined where the schema names no format that is known. */
export function checkFormat(value: string, schema: Schema, path: string): Outcome | undefined {
  const isValid = checkerOf(schema);
  const format = formatOf(schema);
  if (isValid === undefined || format === undefined) return undefined;
  const outcome = new Outcome();
  if (!isValid(value)) outcome.add(wrongType(path, format, value));
  return outcome;
}

/** In characters, not in UTF-16's units. */
function isLonger(value: string, length: number): boolean {
  if (value.length <= length) return false;
  let characters = 0;
  for (const _ of value) if (++characters > length) return true;
  return false;
}

/** By schema, so that patterns go with the kinds that have them. */
const patterns = new WeakMap<Schema, RE2JS>();

function compiled(schema: Schema, pattern: string): RE2JS {
  const known = patterns.get(schema);
  if (known !== undefined) return known;
  const made = RE2JS.compile(pattern);
  patterns.set(schema, made);
  return made;
}
