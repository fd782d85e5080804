import { describe, expect, test } from "vitest";
import * as statuses from "./status.ts";
import { type Status, StatusError } from "./status.ts";

const refusal = (code: number, reason?: string, details?: Status["details"]) =>
  new StatusError({
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    code,
    ...(reason === undefined ? {} : { reason }),
    ...(details ? { details } : {}),
  });

const predicates = Object.entries(statuses).filter(([name]) => /^is[A-Z]/.test(name) && name !== "isStatus") as [
  string,
  (error: unknown) => boolean,
][];

/** The names of the predicates that hold for an error. */
const holding = (error: unknown) => predicates.filter(([, holds]) => holds(error)).map(([name]) => name);

describe("a refusal", () => {
  const cases: Record<string, { error: StatusError; want: string[] }> = {
    "not found": { error: refusal(404, "NotFound"), want: ["isNotFound"] },
    "already there, which shares its code with a conflict": {
      error: refusal(409, "AlreadyExists"),
      want: ["isAlreadyExists"],
    },
    "a conflict": { error: refusal(409, "Conflict"), want: ["isConflict"] },
    "history that is gone": { error: refusal(410, "Gone"), want: ["isGone"] },
    "history that has expired, as watches say it": { error: refusal(410, "Expired"), want: ["isGone"] },
    invalid: { error: refusal(422, "Invalid"), want: ["isInvalid"] },
    "a bad request": { error: refusal(400, "BadRequest"), want: ["isBadRequest"] },
    unauthorized: { error: refusal(401, "Unauthorized"), want: ["isUnauthorized"] },
    forbidden: { error: refusal(403, "Forbidden"), want: ["isForbidden"] },
    "a method that is not there": { error: refusal(405, "MethodNotAllowed"), want: ["isMethodNotSupported"] },
    "too large": { error: refusal(413, "RequestEntityTooLarge"), want: ["isTooLarge"] },
    "too many requests": { error: refusal(429, "TooManyRequests"), want: ["isTooManyRequests"] },
    "a server that took too long": { error: refusal(504, "Timeout"), want: ["isServerTimeout"] },
    "a server that is not ready to": { error: refusal(500, "ServerTimeout"), want: ["isServerTimeout"] },
    "an internal error": { error: refusal(500, "InternalError"), want: ["isInternalError"] },
    unavailable: { error: refusal(503, "ServiceUnavailable"), want: ["isServiceUnavailable"] },
    "a version of the future": {
      error: refusal(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] }),
      want: ["isServerTimeout", "isTooLargeResourceVersion"],
    },
    "a namespace on its way out": {
      error: refusal(403, "Forbidden", { causes: [{ reason: "NamespaceTerminating" }] }),
      want: ["isForbidden", "isNamespaceTerminating"],
    },
    "a change of the UID": {
      error: refusal(422, "Invalid", { causes: [{ reason: "FieldValueInvalid", field: "metadata.uid" }] }),
      want: ["isInvalid", "isOtherUid"],
    },
    "without a reason, judged by its code": { error: refusal(404), want: ["isNotFound"] },
    "with an empty reason, judged by its code": { error: refusal(429, ""), want: ["isTooManyRequests"] },
    "with a reason that nobody knows, which its code does not overrule": { error: refusal(404, "Odd"), want: [] },
  };
  for (const [name, { error, want }] of Object.entries(cases)) {
    test(`is ${name}`, () => expect(holding(error).sort()).toEqual(want));
  }

  test("is nothing that it is not: other errors hold no predicate", () => {
    for (const other of [new Error("404"), { code: 404, reason: "NotFound" }, "NotFound", null, undefined]) {
      expect(holding(other)).toEqual([]);
    }
  });

  test("says something, even where the server said nothing", () => {
    expect(refusal(404, "NotFound").message).toBe("the server answered 404 NotFound");
    expect(refusal(599).reason).toBe("Unknown");
  });

  test("tells when to return", () => {
    expect(statuses.retryAfterSeconds(refusal(429, undefined, { retryAfterSeconds: 3 }))).toBe(3);
    expect(statuses.retryAfterSeconds(new Error())).toBeUndefined();
  });
});

test("a Status is told from other answers", () => {
  expect(statuses.isStatus({ kind: "Status" })).toBe(true);
  for (const other of [{ kind: "Pod" }, null, "Status", []]) expect(statuses.isStatus(other)).toBe(false);
});
