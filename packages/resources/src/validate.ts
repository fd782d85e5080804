/**
 * Judges manifests without an API server, as the CRDs would make it judge them: for `berg lint`, for answers of the API,
 * and for reading Challenges from files. `cases.ts` holds both to the same verdicts.
 */
import { apiVersionOf, type KubeObject } from "@berg/apimachinery";
import { z } from "zod";
import type { Challenge } from "./challenge.ts";
import type { ChallengeInstance } from "./challenge-instance.ts";
import type { Competition } from "./competition.ts";
import {
  challengeDefinition,
  challengeInstanceDefinition,
  competitionDefinition,
  type Definition,
  pageDefinition,
} from "./definitions.ts";
import { type FieldError, fieldError, fieldErrors } from "./field-error.ts";
import { objectName } from "./fields.ts";
import type { Page } from "./page.ts";
import { brokenByChange } from "./rules.ts";
import { type StructuralSchema, structuralSchema } from "./structural.ts";

/** The object with its defaults filled in, as the server would store it; or what is wrong with it. */
export type Validation<T> = { object: T; errors: [] } | { object?: never; errors: FieldError[] };

/** `validateChallenge(parse(file)).errors.map(formatFieldError)` */
export function validateChallenge(manifest: unknown): Validation<Challenge> {
  return validate(challengeDefinition, manifest);
}

/** With `before`, also judges whether that object may become this one. */
export function validateChallengeInstance(
  manifest: unknown,
  before?: ChallengeInstance,
): Validation<ChallengeInstance> {
  return validate(challengeInstanceDefinition, manifest, before);
}

export function validateCompetition(manifest: unknown): Validation<Competition> {
  return validate(competitionDefinition, manifest);
}

export function validatePage(manifest: unknown): Validation<Page> {
  return validate(pageDefinition, manifest);
}

// Made once each, and only of the kinds that are asked for.
const shapes = new Map<object, StructuralSchema>();

export function validate<T extends KubeObject>(
  definition: Definition<T>,
  manifest: unknown,
  before?: T,
): Validation<T> {
  if (!isObject(manifest)) {
    const { kind } = definition.resource;
    return { errors: [{ path: [], field: kind, message: "Invalid value: must be an object" }] };
  }
  const shape = shapes.get(definition) ?? structuralSchema(definition.schema);
  shapes.set(definition, shape);
  const { apiVersion, kind, metadata, ...body } = withoutNulls(manifest, shape) as Record<string, unknown>;
  const head = { apiVersion, kind, metadata };
  const judgedHead = headSchema(definition).safeParse(head);
  const judgedBody = definition.schema.safeParse(body);
  const errors = [
    ...fieldErrors(judgedHead.error?.issues ?? [], head),
    ...fieldErrors(judgedBody.error?.issues ?? [], body),
  ];
  if (judgedBody.success && before) {
    const broken = brokenByChange(definition.schema, judgedBody.data, before);
    errors.push(...broken.map(({ path, message }) => fieldError(path, `Invalid value: ${message}`)));
  }
  if (errors.length > 0) return { errors };
  return { object: { ...head, ...(judgedBody.data as object) } as T, errors: [] };
}

function headSchema({ resource }: Definition) {
  return z.strictObject({
    apiVersion: z.literal(apiVersionOf(resource)),
    kind: z.literal(resource.kind),
    metadata: z
      .looseObject({ name: objectName().exactOptional(), generateName: z.string().exactOptional() })
      .check((context) => {
        const { name, generateName } = context.value;
        if (name || generateName) return;
        const message = "name or generateName is required";
        context.issues.push({ code: "custom", path: ["name"], message, input: context.value });
      }),
  });
}

/** As the server does before it validates: a null stands for a field that is not there, unless its schema allows null. */
function withoutNulls(value: unknown, shape: StructuralSchema | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, shape?.items));
  if (!isObject(value)) return value;
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const fieldShape = shape?.properties?.[name] ?? shape?.additionalProperties;
    if (field === null && fieldShape && !fieldShape.nullable) continue;
    kept.push([name, withoutNulls(field, fieldShape)]);
  }
  return Object.fromEntries(kept);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
