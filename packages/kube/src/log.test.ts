import { StatusError } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { errorText, stackOf } from "./log.ts";
import { refusal } from "./testing/refusal.ts";

const flag = "flag{s3cret}";

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("the words of an error in a log line", () => {
  const cases: Record<string, { error: unknown; want: string }> = {
    "are its own where we wrote them": { error: new Error("the lease is lost"), want: "the lease is lost" },
    "are withheld where a parser quotes what it read": {
      error: thrownBy(() => JSON.parse(flag)),
      want: "SyntaxError (its words are withheld: they quote what was read)",
    },
    "are the fields, not the values, where the server finds some invalid": {
      error: new StatusError({
        apiVersion: "v1",
        kind: "Status",
        status: "Failure",
        code: 422,
        reason: "Invalid",
        message: `ChallengeInstance "a" is invalid: spec.flag: Invalid value: "${flag}": too long`,
        details: { causes: [{ field: "spec.flag", message: flag }, { field: "spec.until" }, { field: "spec.flag" }] },
      }),
      want: "the server finds it invalid: spec.flag, spec.until",
    },
    "do not tell why a webhook denies it": {
      error: refusal(400, { message: `admission webhook "guard.example" denied the request: FLAG=${flag}` }),
      want: 'admission webhook "guard.example" denied the request (why is withheld: it may quote what was sent)',
    },
    "do not tell why a policy denies it": {
      error: refusal(422, {
        message: `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: ${flag}\nmore`,
      }),
      want: "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request (why is withheld: it may quote what was sent)",
    },
    "are withheld where the server cannot read what was sent": {
      error: refusal(400, { message: `json: cannot unmarshal "${flag}"` }),
      want: "the server calls it a bad request (its words are withheld: they quote what was sent)",
    },
    "are the server's where a right is missing": {
      error: refusal(403, { message: 'pods is forbidden: User "berg" cannot list resource "pods"' }),
      want: 'pods is forbidden: User "berg" cannot list resource "pods"',
    },
    "are cut where a server has very many": {
      error: refusal(403, { message: "x".repeat(10_000_000) }),
      want: `${"x".repeat(2000)}…`,
    },
    "are the server's where it refuses otherwise": {
      error: new StatusError({
        apiVersion: "v1",
        kind: "Status",
        status: "Failure",
        code: 404,
        reason: "NotFound",
        message: 'pods "web" not found',
      }),
      want: 'pods "web" not found',
    },
    "are none where what was thrown is no error": { error: flag, want: "a string was thrown" },
  };
  for (const [name, { error, want }] of Object.entries(cases)) {
    test(name, () => expect(errorText(error)).toBe(want));
  }

  test("do not stand in the stack either", () => {
    const error = thrownBy(() => JSON.parse(flag));
    expect(stackOf(error)).toMatch(/^\s+at /);
    expect(stackOf(error)).not.toContain(flag);
    expect(stackOf(flag)).toBeUndefined();
  });
});
