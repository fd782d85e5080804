import { inspect } from "node:util";
import { isServiceUnavailable, isTooManyRequests, retryAfterSeconds, StatusError } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { readAnswer, refusal, warningsOf } from "./answer.ts";
import type { Incoming } from "./transport.ts";

function answer(status: number, body: string, headers: Incoming["headers"] = {}): Incoming {
  return { status, headers, body: Buffer.from(body) };
}

describe("a refusal", () => {
  test("in the server's words keeps all of them", () => {
    const status = {
      apiVersion: "v1",
      kind: "Status",
      status: "Failure",
      reason: "AlreadyExists",
      message: 'pods "web" already exists',
      details: { name: "web", kind: "pods" },
      code: 409,
    };
    const error = refusal(answer(409, JSON.stringify(status)));
    expect(error).toBeInstanceOf(StatusError);
    expect(error.message).toBe('pods "web" already exists');
    expect(error.status).toEqual(status);
  });

  test("has the code of the answer, whatever its body says", () => {
    expect(refusal(answer(503, '{"kind":"Status","code":200}')).code).toBe(503);
  });

  test.each([
    {
      what: "a proxy's page",
      body: "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n</html>",
      want: "the server answered 502: <html> <head><title>502 Bad Gateway</title></head> </html>",
    },
    { what: "plain words", body: "no healthy upstream\n", want: "the server answered 502: no healthy upstream" },
    {
      what: "the request's own words",
      body: "bad request: GET / Authorization: Bearer s3cret",
      want: "the server answered 502: (withheld: it may hold credentials)",
    },
    { what: "nothing", body: "", want: "the server answered 502: (nothing)" },
    { what: "JSON that is no Status", body: '{"error":"x"}', want: 'the server answered 502: {"error":"x"}' },
    { what: "null", body: "null", want: "the server answered 502: null" },
  ])("in $what goes by its code", ({ body, want }) => {
    const error = refusal(answer(502, body));
    expect(error.message).toBe(want);
    expect(error.code).toBe(502);
  });

  test("of a proxy is recognised by the predicates", () => {
    expect(isServiceUnavailable(refusal(answer(503, "")))).toBe(true);
    expect(isTooManyRequests(refusal(answer(429, "slow down")))).toBe(true);
  });

  test("quotes a long page only in part", () => {
    expect(refusal(answer(502, "x".repeat(100_000))).message.length).toBeLessThan(300);
  });

  test.each([
    { header: "7", want: 7 },
    { header: undefined, want: 3 },
    { header: "", want: 3 },
    { header: "-1", want: 3 },
    { header: "Wed, 21 Oct 2026 07:28:00 GMT", want: 3 },
  ])("Retry-After $header goes before what the body says, where it is a number of seconds", ({ header, want }) => {
    const body = '{"kind":"Status","details":{"retryAfterSeconds":3}}';
    expect(retryAfterSeconds(refusal(answer(429, body, { "retry-after": header })))).toBe(want);
  });
});

describe("an answer that is not JSON", () => {
  test("is told without quoting it, since it may hold a Secret", () => {
    let error: unknown;
    try {
      readAnswer(answer(200, "hunter2 is the password"));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ message: "the server answered 200 with 23 characters that are not JSON" });
    expect(inspect(error)).not.toContain("hunter2");
  });
});

describe("warnings", () => {
  test.each([
    { what: "none", header: undefined, want: [] },
    { what: "one", header: '299 - "unknown field \\"spec.x\\""', want: ['unknown field "spec.x"'] },
    { what: "several headers", header: ['299 - "a"', '299 berg "b"'], want: ["a", "b"] },
    { what: "several in one header", header: '299 - "a, b", 299 - "c"', want: ["a, b", "c"] },
  ])("$what", ({ header, want }) => {
    expect(warningsOf({ status: 200, headers: { warning: header } })).toEqual(want);
  });
});
