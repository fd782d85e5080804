/** JSON as an expression sees it where no schema says more: whole numbers are ints, objects are maps. */
import type { Value } from "../../schema/cel/values.ts";

export function fromJson(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (Array.isArray(json)) return json.map(fromJson);
  if (typeof json === "object") return new Map(Object.entries(json).map(([key, value]) => [key, fromJson(value)]));
  if (typeof json === "number") return Number.isInteger(json) ? BigInt(json) : json;
  return json as string | boolean;
}
