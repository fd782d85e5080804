/**
 * Reads Challenges that our CRD has not validated: manifests of authors, and objects that were stored under another CRD,
 * such as the original platform's, which has no defaults, keeps explicit nulls and has fields that ours does not know.
 */
import { apiVersionOf, jsonEqual, type Stored } from "@berg/apimachinery";
import { type Challenge, type ChallengeSpec, challengeSpec } from "./challenge.ts";
import { Challenges } from "./definitions.ts";
import { type FieldError, isUnknownField } from "./field-error.ts";
import { isObject, type Validation, validateChallenge } from "./validate.ts";

/** As `validateChallenge`, but unknown fields are left out and reported apart: they keep no Challenge from running. */
export function readChallenge(manifest: unknown): Validation<Challenge> & { unknownFields: FieldError[] } {
  const validation = validateChallenge(manifest);
  const unknownFields = validation.errors.filter(isUnknownField);
  if (unknownFields.length === 0) return { ...validation, unknownFields };
  const known = unknownFields.reduce((rest, { path }) => withoutField(rest, path), manifest);
  const { unknownFields: more, ...read } = readChallenge(known);
  return { ...read, unknownFields: [...unknownFields, ...more] };
}

/** A Challenge of which every field can be relied on, and why it must not be run as it is. */
export interface StoredChallenge {
  /** With its defaults, and without nulls and unknown fields. Where it has errors, only fields that are valid. */
  challenge: Stored<Challenge>;
  errors: readonly FieldError[];
}

/** Never throws, whatever is stored. Returns the same object where there is nothing to change. */
export function readStoredChallenge(stored: Stored<Challenge>): StoredChallenge {
  const { kind } = Challenges;
  const { object, errors } = readChallenge({ ...stored, apiVersion: apiVersionOf(Challenges), kind });
  const spec = object?.spec ?? validFieldsOf(stored.spec);
  const challenge = jsonEqual(stored.spec, spec) ? stored : Object.freeze({ ...stored, spec });
  return { challenge, errors };
}

function validFieldsOf(spec: unknown): ChallengeSpec {
  const given = isObject(spec) ? spec : {};
  const fields = Object.entries(challengeSpec.shape).flatMap(([name, schema]) => {
    const valid = [given[name], undefined].map((value) => schema.safeParse(value)).find(({ success }) => success);
    return valid?.data === undefined ? [] : [[name, valid.data]];
  });
  return Object.fromEntries(fields);
}

function withoutField(value: unknown, [name, ...rest]: FieldError["path"]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => (index === name ? withoutField(item, rest) : item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([key]) => key !== name));
  return Object.fromEntries(entries.map(([key, field]) => [key, key === name ? withoutField(field, rest) : field]));
}
