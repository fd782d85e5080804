/** Values as Go's `%v` and `%#v` show them, since the texts of Kubernetes' errors do. */
import { compareText, isList, isObject } from "./values.ts";

/** `map[a:b]`, `[1 2]`. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (isList(value)) return `[${value.map(plain).join(" ")}]`;
  if (isObject(value))
    return `map[${sorted(value)
      .map(([key, field]) => `${key}:${plain(field)}`)
      .join(" ")}]`;
  return String(value);
}

/** `map[string]interface {}{"a":"b"}`. */
export function inGo(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (isList(value)) return `[]interface {}{${value.map(inGo).join(", ")}}`;
  if (isObject(value)) {
    const fields = sorted(value).map(([key, field]) => `${JSON.stringify(key)}:${inGo(field)}`);
    return `map[string]interface {}{${fields.join(", ")}}`;
  }
  return JSON.stringify(value);
}

/** `int64`, `[]interface {}`. */
export function goType(value: unknown): string {
  if (isList(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}

function sorted(object: object): [string, unknown][] {
  return Object.entries(object).sort(([a], [b]) => compareText(a, b));
}
