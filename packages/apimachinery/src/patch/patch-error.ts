/** A patch that cannot be applied, or a difference that its kind of patch cannot say. Never quotes a value: it may be a secret. */
export class PatchError extends Error {
  /** With which status an API server refuses it: malformed, too large, or well-formed but not applicable here. */
  readonly code: 400 | 413 | 422;

  constructor(code: 400 | 413 | 422, message: string) {
    super(message);
    this.name = "PatchError";
    this.code = code;
  }
}

/**
 * Runs work that recurses over its input. Hostile nesting ends in a RangeError of the engine; whoever sent it is at
 * fault, so it becomes a PatchError like every other.
 */
export function orTooDeep<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new PatchError(400, "the document or the patch is nested too deeply");
    throw error;
  }
}

/** `a string`, `a list`, …: what a value is, without saying what it holds. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
