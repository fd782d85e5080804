import { describe, expect, test } from "vitest";
import { refusal } from "../testing/refusal.ts";
import { defaultRetries, retryDelay } from "./retry.ts";
import { ConnectionError } from "./transport.ts";

const half = () => 0.5;

function broken(sent: boolean): ConnectionError {
  return new ConnectionError("broken", { sent, cause: undefined });
}

describe("a failed call is repeated only where that cannot do a thing twice", () => {
  test.each([
    { what: "never sent", error: broken(false), wantAnyway: true, wantIdempotent: true },
    { what: "broken after it was sent", error: broken(true), wantAnyway: false, wantIdempotent: true },
    { what: "429", error: refusal(429, { details: { retryAfterSeconds: 1 } }), wantAnyway: true, wantIdempotent: true },
    { what: "429 without a time to return", error: refusal(429), wantAnyway: false, wantIdempotent: false },
    { what: "500", error: refusal(500), wantAnyway: false, wantIdempotent: true },
    { what: "502", error: refusal(502), wantAnyway: false, wantIdempotent: true },
    { what: "504", error: refusal(504), wantAnyway: false, wantIdempotent: true },
    {
      what: "504, the version lies in the server's future",
      error: refusal(504, { details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 } }),
      wantAnyway: false,
      wantIdempotent: false,
    },
    { what: "400", error: refusal(400), wantAnyway: false, wantIdempotent: false },
    { what: "401", error: refusal(401), wantAnyway: false, wantIdempotent: false },
    { what: "404", error: refusal(404), wantAnyway: false, wantIdempotent: false },
    { what: "409", error: refusal(409), wantAnyway: false, wantIdempotent: false },
    { what: "a mistake of ours", error: new TypeError("x"), wantAnyway: false, wantIdempotent: false },
  ])("$what", ({ error, wantAnyway, wantIdempotent }) => {
    const repeats = (idempotent: boolean) =>
      retryDelay(defaultRetries, { error, attempt: 1, idempotent }, half) !== undefined;
    expect(repeats(false)).toBe(wantAnyway);
    expect(repeats(true)).toBe(wantIdempotent);
  });
});

describe("the wait", () => {
  test.each([
    { attempt: 1, want: 50 },
    { attempt: 2, want: 100 },
    { attempt: 3, want: 200 },
    { attempt: 5, want: 800 },
    { attempt: 6, want: undefined },
  ])("doubles, and ends with the attempts: attempt $attempt", ({ attempt, want }) => {
    expect(retryDelay(defaultRetries, { error: refusal(503), attempt, idempotent: true }, half)).toBe(want);
  });

  test("ends sooner where the server says that it is busy", () => {
    const error = refusal(429, { details: { retryAfterSeconds: 1 } });
    const waits = [1, 2, 3].map((attempt) => retryDelay(defaultRetries, { error, attempt, idempotent: true }, half));
    expect(waits).toEqual([1_050, 1_100, undefined]);
  });

  test("grows no longer than the longest", () => {
    const patient = { ...defaultRetries, attempts: 100 };
    expect(retryDelay(patient, { error: refusal(503), attempt: 99, idempotent: true }, half)).toBe(5_000);
  });

  test.each([
    { seconds: 2, want: 2_050 },
    { seconds: 10, want: 10_050 },
    // Too long to hold a worker: the error carries the wish to the queue.
    { seconds: 11, want: undefined },
  ])("is at least the $seconds s that the server wished for", ({ seconds, want }) => {
    const error = refusal(429, { details: { retryAfterSeconds: seconds } });
    expect(retryDelay(defaultRetries, { error, attempt: 1, idempotent: false }, half)).toBe(want);
  });
});
