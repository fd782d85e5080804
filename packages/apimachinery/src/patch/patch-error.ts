/**
 * How kube-apiserver itself refuses a patch. Its words quote values, which may be secrets: they are for whoever sent the
 * patch, and for nobody's log. `print` writes a value as Go's `%v` does.
 */
export interface ServersAnswer {
  code: 400 | 422 | 500;
  text(print: (value: unknown) => string): string;
}

/** A patch that cannot be applied, or a difference that its kind of patch cannot say. Never quotes a value: it may be a secret. */
export class PatchError extends Error {
  /** With which status an API server should refuse it: malformed, too large, or well-formed but not applicable here. */
  readonly code: 400 | 413 | 422;
  readonly #answer: ServersAnswer | undefined;

  constructor(code: 400 | 413 | 422, message: string, answer?: ServersAnswer) {
    super(message);
    this.name = "PatchError";
    this.code = code;
    this.#answer = answer;
  }

  /** What a real one does answer, where that is known to be something else. */
  get answer(): ServersAnswer | undefined {
    return this.#answer;
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
