/** Values that may be missing. What runs only where it is needed (`orValue`) is among the macros. */
import { global, member, type Overload } from "../functions.ts";
import { CelError, isList, none, Optional, type Value } from "../values.ts";

export const optionals: Overload[] = [
  global("optional.none(): optional<A>", () => none),
  global("optional.of(A): optional<A>", (value: Value) => new Optional(value)),
  global("optional.ofNonZeroValue(A): optional<A>", (value: Value) => (isZero(value) ? none : new Optional(value))),
  member("optional<A>.hasValue(): bool", (optional: Optional) => optional.value !== undefined),
  member("optional<A>.value(): A", (optional: Optional) => {
    if (optional.value === undefined) throw new CelError("optional.none() dereference");
    return optional.value;
  }),
];

function isZero(value: Value): boolean {
  if (isList(value)) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  return value === null || value === false || value === 0n || value === 0 || value === "";
}
