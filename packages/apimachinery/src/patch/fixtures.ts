/** What the tests of patches share. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
  }
  return value;
}

/** Lists within lists, deeper than any stack. */
export function bottomless(): unknown {
  let value: unknown = [];
  for (let depth = 0; depth < 200_000; depth++) value = [value];
  return value;
}

/** The value with every null field left out, except within lists where `inLists` is unset. */
export function withoutNulls(value: unknown, inLists = false): unknown {
  if (Array.isArray(value)) return inLists ? value.map((element) => withoutNulls(element, true)) : value;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutNulls(field, inLists)]));
}

/** What a call throws, where it may. */
export function thrownBy(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** One text for all values that are equal as JSON: an equality that owes nothing to the code under test. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
