/**
 * The building blocks of our schemas. Each gives a zod schema that judges as the API server does, and says the same to
 * the server in its metadata, which `structural.ts` turns into a CRD schema.
 */
import { parseTime } from "@berg/apimachinery";
import { z } from "zod";

interface TextLimits {
  max: number;
  min?: number;
  pattern?: RegExp;
  /** What the pattern asks for, in words: `must be …`. */
  must?: string;
}

/** Text. Lengths count characters as the server does: zod itself would count an emoji as two. */
export function text({ max, min = 0, pattern, must }: TextLimits) {
  return z
    .string()
    .check((context) => {
      const input = context.value;
      const length = [...input].length;
      if (length < min) {
        context.issues.push({ code: "too_small", origin: "string", minimum: min, inclusive: true, input });
      } else if (pattern && !pattern.test(input)) {
        const message = must ?? `must match ${pattern.source}`;
        context.issues.push({ code: "invalid_format", format: "regex", pattern: pattern.source, message, input });
      } else if (length > max) {
        context.issues.push({ code: "too_big", origin: "string", maximum: max, inclusive: true, input });
      }
    })
    .meta({ maxLength: max, ...(min > 0 && { minLength: min }), ...(pattern && { pattern: pattern.source }) });
}

// Narrower than the server's own date-time format, which lets an offset of +99:99 or the year 0 through: CEL and Date
// cannot read those.
const rfc3339 = (fraction: string) =>
  new RegExp(
    `^[12][0-9]{3}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]${fraction}(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`,
  );

// The server takes any list for a text that has a format. No list can keep these limits.
const noList = { minItems: 1, maxItems: 0 };

/** A point in time, such as `2026-10-01T18:00:00Z`. */
export function time() {
  return timeOf(rfc3339("(\\.[0-9]+)?"), "2026-10-01T18:00:00Z or 2026-10-01T20:00:00+02:00");
}

/** A point in time as `formatMicroTime` writes it. Clients written in Go cannot read one with more digits or fewer. */
export function microTime() {
  return timeOf(rfc3339("\\.[0-9]{6}"), "2026-10-01T18:00:00.000000Z");
}

function timeOf(pattern: RegExp, examples: string) {
  return z
    .string()
    .check((context) => {
      const input = context.value;
      if (pattern.test(input) && isTime(input) && input.length <= 40) return;
      const message = `must be a time such as ${examples}`;
      context.issues.push({ code: "invalid_format", format: "date-time", message, input });
    })
    .meta({ format: "date-time", maxLength: 40, pattern: pattern.source, ...noList });
}

// No pattern knows that there is no 31 February.
function isTime(text: string): boolean {
  try {
    parseTime(text);
    return true;
  } catch {
    return false;
  }
}

export function uuid() {
  return text({
    max: 36,
    pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    must: "must be a UUID in lower case, such as 0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d",
  });
}

/** The name of an object that may hold dots, as most kinds have it. */
export function objectName() {
  return text({
    min: 1,
    max: 253,
    pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    must: "must be lower-case letters, digits, '-' and '.', starting and ending with a letter or digit",
  });
}

/** The name of an object without dots, as namespaces have it. */
export function labelName() {
  return text({
    min: 1,
    max: 63,
    pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    must: "must be lower-case letters, digits and '-', starting and ending with a letter or digit",
  });
}

// Names the white space to refuse, since `\s` means less to the server's engine than to JavaScript's.
const http = "https?:[/][/][^ \\t\\r\\n\"'<>/?#]+[^ \\t\\r\\n\"'<>]*";

/** An address that a browser can open. With `orEmpty`, empty means unset. */
export function httpUrl({ orEmpty = false } = {}) {
  return text({
    max: 1024,
    ...(!orEmpty && { min: 1 }),
    pattern: new RegExp(orEmpty ? `^(${http})?$` : `^${http}$`),
    must: "must be a URL that begins with https:// or http://, without spaces and quotes",
  });
}

/** How long an instance lives. Empty means unset; whether the length makes sense is the controller's to say. */
export function timeout() {
  return text({
    max: 32,
    pattern: /^([0-9]+h)?([0-9]+m)?([0-9]+s)?$/,
    must: "must be hours, minutes and seconds in this order, such as 2h, 30m or 1h30m",
  });
}

const amount = /^[0-9]+(\.[0-9]+)?([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?$/;

/** An amount of cpu, memory or storage. */
export function quantity() {
  return z.union([
    text({ max: 32, pattern: amount, must: "must be an amount such as 250m, 0.5, 64Mi or 1G" }),
    z.int().min(0).max(1e15),
  ]);
}

/** Bits per second; empty means unset. */
export function bandwidth() {
  const pattern = new RegExp(`^$|${amount.source}`);
  return text({ max: 32, pattern, must: "must be an amount such as 10M" });
}

/** An object that may be left out: it is then what its own fields default to. */
export function defaulted<T extends z.ZodType>(schema: T) {
  return schema.default(schema.parse({}) as z.core.util.NoUndefined<z.output<T>>);
}

/** Values by name. */
export function map<T extends z.ZodType>(value: T, max: number) {
  return z
    .record(z.string(), value)
    .check((context) => {
      if (Object.keys(context.value).length <= max) return;
      context.issues.push({ code: "too_big", origin: "map", maximum: max, inclusive: true, input: context.value });
    })
    .meta({ maxProperties: max });
}

/** A list that its writers own as a whole. */
export function list<T extends z.ZodType>(item: T, max: number) {
  return z.array(item).max(max).meta({ "x-kubernetes-list-type": "atomic" });
}

/** A list whose items are told apart by the values of `keys`, so that several writers can each own theirs. */
export function listMap<T extends z.ZodType>(item: T, keys: (keyof z.output<T> & string)[], max: number) {
  return z
    .array(item)
    .max(max)
    .check((context) => {
      const seen = new Set<string>();
      context.value.forEach((entry, index) => {
        const key = JSON.stringify(Object.fromEntries(keys.map((name) => [name, entry[name]])));
        if (seen.has(key)) {
          const params = { duplicate: key };
          context.issues.push({ code: "custom", path: [index], params, message: key, input: entry });
        }
        seen.add(key);
      });
    })
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });
}
