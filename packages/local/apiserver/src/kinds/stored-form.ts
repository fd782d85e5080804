/**
 * The one form in which an object is stored, whoever wrote it: what says no more than nothing is left out, what is
 * always there is there, quantities are canonical, those of lists of resources in thousandths, and times are in UTC. So a field means the same to every reader, an
 * update that says the same in other words changes nothing, and answers look as Kubernetes' do.
 */
import { formatTime, parseQuantity, parseTime, Quantity } from "@berg/apimachinery";
import { isMicroTime } from "../schema/micro-time.ts";
import type { Schema } from "../schema/schema.ts";
import { presenceOf } from "./shapes.ts";

/** Changes `draft`, as far as `schema` knows it. Twice does no more than once. */
export function toStoredForm(draft: Record<string, unknown>, schema: Schema): void {
  for (const [name, shape] of Object.entries(schema.properties ?? {})) {
    const settled = settle(draft[name], shape);
    if (settled !== undefined) draft[name] = settled;
    else delete draft[name];
  }
}

/** Undefined where it is to be left out. */
function settle(value: unknown, schema: Schema): unknown {
  if (value === undefined || value === null) return ifEmpty(value, schema);
  if (schema["x-kubernetes-preserve-unknown-fields"]) return value;
  if (schema["x-kubernetes-int-or-string"]) return schema.format === "quantity" ? canonicalQuantity(value) : value;
  if (Array.isArray(value)) return value.length === 0 ? ifEmpty(value, schema) : settleItems(value, schema);
  if (typeof value === "object") return settleObject(value as Record<string, unknown>, schema);
  if (value === "" || value === 0 || value === false) return ifEmpty(value, schema);
  if (typeof value === "string" && schema.format === "date-time") return canonicalTime(value, schema);
  return value;
}

function settleItems(items: unknown[], schema: Schema): unknown[] {
  const shape = schema.items;
  return shape ? items.map((item) => settle(item, shape) ?? item ?? emptyOf(shape)) : items;
}

function settleObject(value: Record<string, unknown>, schema: Schema): unknown {
  if (schema.properties) {
    toStoredForm(value, schema);
    return value;
  }
  const shape = schema.additionalProperties;
  const entries = Object.entries(value);
  if (entries.length === 0) return ifEmpty(value, schema);
  if (shape && typeof shape === "object") {
    const isAmount = shape.format === "quantity";
    for (const [key, item] of entries) {
      const settled = settle(item, shape) ?? item ?? emptyOf(shape);
      value[key] = isAmount ? inThousandths(settled) : settled;
    }
  }
  return value;
}

function ifEmpty(value: unknown, schema: Schema): unknown {
  const presence = presenceOf(schema);
  if (presence === "always") return emptyOf(schema);
  if (presence === "kept" && value !== null) return value;
  return schema.default;
}

/** What stands where nobody said anything, and something must be. */
function emptyOf(schema: Schema): unknown {
  if (schema.default !== undefined) return structuredClone(schema.default);
  if (schema["x-kubernetes-int-or-string"]) return schema.format === "quantity" ? "0" : 0;
  if (schema.type === "object" && schema.properties) return settleObject({}, schema);
  if (schema.type === "string") return schema.format === "date-time" ? null : "";
  if (schema.type === "integer" || schema.type === "number") return 0;
  return schema.type === "boolean" ? false : null;
}

// What cannot be read is left as it is: refusing it is up to whoever decodes.

function canonicalQuantity(value: unknown): unknown {
  try {
    return parseQuantity(value as string | number).toString();
  } catch {
    return value;
  }
}

const nanosPerThousandth = 1_000_000n;

/** Nothing finer is accounted for; rounded away from zero, so that a little is never nothing. */
function inThousandths(value: unknown): unknown {
  try {
    const amount = parseQuantity(value as string | number);
    if (amount.nanos % nanosPerThousandth === 0n) return value;
    return new Quantity(amount.milliValue() * nanosPerThousandth, amount.format).toString();
  } catch {
    return value;
  }
}

function canonicalTime(value: string, schema: Schema): string {
  try {
    const seconds = formatTime(parseTime(value));
    if (!isMicroTime(schema)) return seconds;
    const fraction = /\.(\d+)/.exec(value)?.[1] ?? "";
    return seconds.replace("Z", `.${fraction.slice(0, 6).padEnd(6, "0")}Z`);
  } catch {
    return value;
  }
}
