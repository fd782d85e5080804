import { describe, expect, test } from "vitest";
import { refusal } from "../testing/refusal.ts";
import {
  InternalError,
  type Outcome,
  outcomeOf,
  outcomeOfError,
  ReconcileTimeout,
  type Result,
  TerminalError,
} from "./outcome.ts";

describe("what a reconcile asks for", () => {
  const results: Record<string, { result: Result | undefined; want: Outcome }> = {
    nothing: { result: undefined, want: { kind: "settled" } },
    "nothing in particular": { result: {}, want: { kind: "settled" } },
    "to look again": { result: { requeueAfterMs: 7 }, want: { kind: "again", afterMs: 7, priority: 0 } },
    "to look again at once": { result: { requeueAfterMs: 0 }, want: { kind: "again", afterMs: 0, priority: 0 } },
    "to look again, and soon": {
      result: { requeueAfterMs: 7, priority: 5 },
      want: { kind: "again", afterMs: 7, priority: 5 },
    },
    "a time in the past": { result: { requeueAfterMs: -7 }, want: { kind: "again", afterMs: -7, priority: 0 } },
    "no time that there is": {
      result: { requeueAfterMs: Number.NaN },
      want: { kind: "panic", error: new RangeError("cannot requeue after NaN ms") },
    },
    "never again": {
      result: { requeueAfterMs: Number.POSITIVE_INFINITY },
      want: { kind: "panic", error: new RangeError("cannot requeue after Infinity ms") },
    },
    "no priority that there is": {
      result: { requeueAfterMs: 7, priority: Number.NaN },
      want: { kind: "panic", error: new RangeError("cannot requeue with priority NaN") },
    },
  };
  for (const [name, { result, want }] of Object.entries(results)) {
    test(name, () => expect(outcomeOf(result)).toEqual(want));
  }
});

describe("what a reconcile throws", () => {
  const retry = { kind: "retry", afterMs: undefined };
  const thrown: Record<string, { error: unknown; want: object }> = {
    "a conflict": { error: refusal(409, { reason: "Conflict" }), want: { kind: "conflict" } },
    "a name that belongs to another life by now": {
      error: refusal(422, { reason: "Invalid", details: { causes: [{ field: "metadata.uid" }] } }),
      want: { kind: "conflict" },
    },
    "an object that exists already": { error: refusal(409, { reason: "AlreadyExists" }), want: retry },
    "a refusal": { error: refusal(403), want: retry },
    "a server's wish": {
      error: refusal(429, { details: { retryAfterSeconds: 4 } }),
      want: { kind: "retry", afterMs: 4_000 },
    },
    "a server's wish that is told of in other words": {
      error: new Error("cannot make it", { cause: refusal(429, { details: { retryAfterSeconds: 4 } }) }),
      want: { kind: "retry", afterMs: 4_000 },
    },
    "a server's wish to be asked again at once, which would be a storm": {
      error: refusal(429, { details: { retryAfterSeconds: 0 } }),
      want: retry,
    },
    "a broken connection": { error: new Error("reset"), want: retry },
    "what will not help to repeat": { error: new TerminalError("no containers"), want: { kind: "terminal" } },
    "that its time was up": { error: new ReconcileTimeout(1000), want: { kind: "timeout" } },
    "a mistake of ours": { error: new TypeError("x is undefined"), want: { kind: "panic" } },
    "a mistake of ours in other words": {
      error: new InternalError("it is undefined", new TypeError("flag{x} is undefined")),
      want: { kind: "panic" },
    },
    "a number out of range": { error: new RangeError("no"), want: { kind: "panic" } },
    "something that is no error": { error: "a string", want: { kind: "panic" } },
    "nothing at all": { error: undefined, want: { kind: "panic" } },
  };
  for (const [name, { error, want }] of Object.entries(thrown)) {
    test(name, () => expect(outcomeOfError(error)).toMatchObject(want));
  }
});
