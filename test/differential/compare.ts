/** Where two masked answers differ. The order of an object's fields means nothing in JSON. */
export interface Difference {
  /** `body.metadata.labels.a` */
  readonly path: string;
  readonly real: unknown;
  readonly ours: unknown;
}

const absent = "(absent)";

export function differencesOf(real: unknown, ours: unknown, path = ""): Difference[] {
  if (Object.is(real, ours)) return [];
  if (!isNested(real) || !isNested(ours) || Array.isArray(real) !== Array.isArray(ours)) return [{ path, real, ours }];
  const keys = [...new Set([...Object.keys(real), ...Object.keys(ours)])];
  return keys.flatMap((key) => {
    const at = path === "" ? key : `${path}.${key}`;
    if (!Object.hasOwn(real, key)) return [{ path: at, real: absent, ours: ours[key] }];
    if (!Object.hasOwn(ours, key)) return [{ path: at, real: real[key], ours: absent }];
    return differencesOf(real[key], ours[key], at);
  });
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
