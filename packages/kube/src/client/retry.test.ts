import { type StatusDetails, StatusError } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { defaultRetries, retryDelay } from "./retry.ts";
import { ConnectionError } from "./transport.ts";

const half = () => 0.5;

function refused(code: number, details: StatusDetails = {}): StatusError {
  return new StatusError({ apiVersion: "v1", kind: "Status", status: "Failure", code, details });
}

function broken(sent: boolean): ConnectionError {
  return new ConnectionError("broken", { sent, cause: undefined });
}

describe("a failed call is repeated only where that cannot do a thing twice", () => {
  test.each([
    { what: "never sent", error: broken(false), wantAnyway: true, wantIdempotent: true },
    { what: "broken after it was sent", error: broken(true), wantAnyway: false, wantIdempotent: true },
    { what: "429", error: refused(429, { retryAfterSeconds: 1 }), wantAnyway: true, wantIdempotent: true },
    { what: "429 without a time to return", error: refused(429), wantAnyway: false, wantIdempotent: false },
    { what: "500", error: refused(500), wantAnyway: false, wantIdempotent: true },
    { what: "502", error: refused(502), wantAnyway: false, wantIdempotent: true },
    { what: "504", error: refused(504), wantAnyway: false, wantIdempotent: true },
    {
      what: "504, the version lies in the server's future",
      error: refused(504, { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 }),
      wantAnyway: false,
      wantIdempotent: false,
    },
    { what: "400", error: refused(400), wantAnyway: false, wantIdempotent: false },
    { what: "401", error: refused(401), wantAnyway: false, wantIdempotent: false },
    { what: "404", error: refused(404), wantAnyway: false, wantIdempotent: false },
    { what: "409", error: refused(409), wantAnyway: false, wantIdempotent: false },
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
    expect(retryDelay(defaultRetries, { error: refused(503), attempt, idempotent: true }, half)).toBe(want);
  });

  test("grows no longer than the longest", () => {
    const patient = { ...defaultRetries, attempts: 100 };
    expect(retryDelay(patient, { error: refused(503), attempt: 99, idempotent: true }, half)).toBe(5_000);
  });

  test.each([
    { seconds: 2, want: 2_050 },
    { seconds: 10, want: 10_050 },
    // Too long to hold a worker: the error carries the wish to the queue.
    { seconds: 11, want: undefined },
  ])("is at least the $seconds s that the server wished for", ({ seconds, want }) => {
    const error = refused(429, { retryAfterSeconds: seconds });
    expect(retryDelay(defaultRetries, { error, attempt: 1, idempotent: false }, half)).toBe(want);
  });
});
