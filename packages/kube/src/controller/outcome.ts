import { isConflict, isOtherUid, retryAfterSeconds } from "@berg/apimachinery";

/** What a reconcile may ask for. Nothing means that it is settled until something changes. */
export interface Result {
  requeueAfterMs?: number;
  /** How urgent that next turn is: see WorkQueue. */
  priority?: number;
}

/**
 * Trying again will not help: the object itself has to change first. The reconciler says why in a condition before it
 * throws this.
 */
export class TerminalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TerminalError";
  }
}

/** The reconcile went on for longer than it may. */
export class ReconcileTimeout extends Error {
  constructor(limitMs: number) {
    super(`the reconcile took longer than ${limitMs / 1000} s`);
    this.name = "ReconcileTimeout";
  }
}

/** A mistake in our own code, told of in words that may be logged. Its stack is that of the error which was thrown. */
export class InternalError extends Error {
  constructor(message: string, thrown: unknown) {
    super(message);
    this.name = "InternalError";
    if (thrown instanceof Error && thrown.stack !== undefined) this.stack = thrown.stack;
  }
}

/** Whether it tells of a mistake in our own code. */
export function isInternalError(error: unknown): boolean {
  return !(error instanceof Error) || internalErrors.some((type) => error instanceof type);
}

const internalErrors = [InternalError, TypeError, ReferenceError, RangeError, SyntaxError];

export type Outcome =
  | { kind: "settled" }
  | { kind: "again"; afterMs: number; priority: number }
  /** Somebody else wrote first. Every controller meets it daily; it is no news. */
  | { kind: "conflict" }
  /** Ended from outside, with the process. Whoever works next begins with everything. */
  | { kind: "interrupted" }
  | { kind: "terminal"; error: unknown }
  | { kind: "timeout"; error: unknown }
  /** A mistake in our own code. */
  | { kind: "panic"; error: unknown }
  | { kind: "retry"; error: unknown; afterMs: number | undefined };

export function outcomeOf(result: Result | undefined): Outcome {
  const afterMs = result?.requeueAfterMs;
  if (afterMs === undefined) return { kind: "settled" };
  const priority = result?.priority ?? 0;
  // A date that could not be read ends up here as NaN; the queue knows no such time.
  if (!Number.isFinite(afterMs)) return { kind: "panic", error: new RangeError(`cannot requeue after ${afterMs} ms`) };
  if (Number.isNaN(priority)) return { kind: "panic", error: new RangeError("cannot requeue with priority NaN") };
  return { kind: "again", afterMs, priority };
}

export function outcomeOfError(error: unknown): Outcome {
  if (isConflict(error) || isOtherUid(error)) return { kind: "conflict" };
  if (error instanceof TerminalError) return { kind: "terminal", error };
  if (error instanceof ReconcileTimeout) return { kind: "timeout", error };
  if (!(error instanceof Error) || isInternalError(error)) return { kind: "panic", error };
  // Who tells of a refusal in words of its own names it as the cause.
  const seconds = retryAfterSeconds(error) ?? retryAfterSeconds(error.cause) ?? 0;
  return { kind: "retry", error, afterMs: seconds > 0 ? seconds * 1000 : undefined };
}
