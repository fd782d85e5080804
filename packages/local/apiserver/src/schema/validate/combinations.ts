/** anyOf, oneOf, allOf and not. Of alternatives that all fail, the one that fits best says what is wrong. */
import { goQuote } from "../../errors/go-text.ts";
import type { Schema } from "../schema.ts";
import { checkValue } from "./check-value.ts";
import { Outcome, unplaced } from "./outcome.ts";

export function checkCombinations(value: unknown, schema: Schema, path: string): Outcome {
  const outcome = new Outcome();
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  if (anyOf.length > 0) checkAnyOf(value, anyOf, path, outcome);
  if (oneOf.length > 0) checkOneOf(value, oneOf, path, outcome);
  if (allOf.length > 0) checkAllOf(value, allOf, path, outcome);
  if (not !== undefined && checkValue(value, not, path).isValid)
    outcome.add(unplaced(`${goQuote(path)} must not validate the schema (not)`));
  outcome.matches++;
  return outcome;
}

function checkAnyOf(value: unknown, schemas: readonly Schema[], path: string, outcome: Outcome): void {
  let best: Outcome | undefined;
  for (const schema of schemas) {
    const result = checkValue(value, schema, path);
    if (result.isValid) {
      outcome.merge(result);
      return;
    }
    if (best === undefined || result.matches > best.matches) best = result;
  }
  outcome.add(unplaced(`${goQuote(path)} must validate at least one schema (anyOf)`));
  if (best) outcome.merge(best);
}

function checkOneOf(value: unknown, schemas: readonly Schema[], path: string, outcome: Outcome): void {
  const results = schemas.map((schema) => checkValue(value, schema, path));
  const valid = results.filter((result) => result.isValid);
  const [first] = valid;
  if (valid.length === 1 && first) {
    outcome.merge(first);
    return;
  }
  const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  outcome.add(unplaced(`${goQuote(path)} must validate one and only one schema (oneOf). ${found}`));
  if (valid.length > 0) return;
  const most = Math.max(...results.map((result) => result.matches));
  const best = results.find((result) => result.matches === most);
  if (best) outcome.merge(best);
}

function checkAllOf(value: unknown, schemas: readonly Schema[], path: string, outcome: Outcome): void {
  const results = schemas.map((schema) => checkValue(value, schema, path));
  for (const result of results) outcome.merge(result);
  const valid = results.filter((result) => result.isValid).length;
  if (valid === schemas.length) return;
  const found = valid === 0 ? ". None validated" : "";
  outcome.add(unplaced(`${goQuote(path)} must validate all the schemas (allOf)${found}`));
}
