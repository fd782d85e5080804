import { findCondition, NotOurs, Services } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { StatusDraft } from "../phases/draft.ts";
import { makeInstance, startOfTest } from "../testing/make-objects.ts";
import { ChildFailure } from "./perform.ts";
import { refusalOf, sayRefused } from "./refusal.ts";

const child = { type: Services, manifest: { metadata: { name: "web" } } };
const failure = (cause: unknown) => new ChildFailure(child, cause);
const terminating = { causes: [{ reason: "NamespaceTerminating", message: "", field: "metadata.namespace" }] };
const field = { causes: [{ reason: "FieldValueInvalid", message: '"flag{x}" is wrong', field: "spec.ports[0].port" }] };

describe("what the server's answer means", () => {
  test.each([
    {
      cause: new NotOurs(Services, "n", "web"),
      reason: "NameConflict",
      isFinal: false,
      text: /does not carry our mark/,
    },
    {
      cause: refusal(422, { reason: "Invalid", message: 'Invalid value: "flag{x}"', details: field }),
      reason: "ManifestRefused",
      isFinal: true,
      text: /^The Service web cannot be made: the server finds it invalid: spec\.ports\[0\]\.port$/,
    },
    {
      cause: refusal(422, { reason: "Invalid", message: "policy images denied it: use our registry" }),
      reason: "ManifestRefused",
      isFinal: true,
      text: /use our registry$/,
    },
    {
      cause: refusal(403, { reason: "Forbidden", message: "exceeded quota: q" }),
      reason: "QuotaExceeded",
      isFinal: false,
      text: /exceeded quota: q/,
    },
    {
      cause: refusal(403, { reason: "Forbidden", message: "User cannot create" }),
      reason: "Forbidden",
      isFinal: false,
      text: /User cannot create/,
    },
    { cause: refusal(429, { reason: "TooManyRequests" }), reason: "TooManyRequests", isFinal: false, text: /is busy/ },
    { cause: refusal(500, { reason: "InternalError" }), reason: "ServerError", isFinal: false, text: /has trouble/ },
    {
      cause: refusal(503, { reason: "ServiceUnavailable" }),
      reason: "ServerError",
      isFinal: false,
      text: /has trouble/,
    },
  ])("$cause.message: $reason", ({ cause, reason, isFinal, text }) => {
    expect(refusalOf(failure(cause))).toEqual({ reason, isFinal, message: expect.stringMatching(text) });
  });

  test.each([
    refusal(409, { reason: "Conflict" }),
    refusal(404, { reason: "NotFound" }),
    refusal(403, { reason: "Forbidden", details: terminating }),
    new Error("connection lost"),
  ])("%s: nothing about the child", (cause) => {
    expect(refusalOf(failure(cause))).toBeUndefined();
  });
});

describe("what is said", () => {
  const said = (instance: ReturnType<typeof makeInstance>, code: number) => {
    const draft = new StatusDraft({ instance: instance.object, now: startOfTest });
    const error = failure(refusal(code, { reason: code === 422 ? "Invalid" : "Forbidden", message: "exceeded quota" }));
    const found = refusalOf(error);
    if (found) sayRefused(draft, error, found);
    return draft.status;
  };

  test("while it is being made: the phase says why it takes so long", () => {
    const status = said(makeInstance().inPhase("Creating"), 403);
    expect(status).toMatchObject({ phase: "Creating", reason: "QuotaExceeded" });
    expect(findCondition(status.conditions, "ServicesCreated")).toMatchObject({
      status: "False",
      reason: "QuotaExceeded",
    });
  });

  test("while it starts: no phase is gone back to", () => {
    expect(said(makeInstance().inPhase("Starting"), 403)).toMatchObject({ phase: "Starting", reason: "QuotaExceeded" });
  });

  test("for good: it has failed, and what was made is not counted as lost when it goes", () => {
    const made = makeInstance().inPhase("Creating").withCondition("NamespaceCreated", "True", "Created");
    const status = said(made, 422);
    expect(status).toMatchObject({ phase: "Failed", reason: "ManifestRefused" });
    expect(findCondition(status.conditions, "NamespaceCreated")).toMatchObject({ status: "False" });
  });

  test.each([403, 422])("while it runs: it goes on running (%d)", (code) => {
    const runs = makeInstance().inPhase("Running").withStatus({ readyAt: "2026-10-01T12:00:00Z" });
    const status = said(runs, code);
    expect(status).toMatchObject({ phase: "Running" });
    expect(status).not.toHaveProperty("reason");
    expect(findCondition(status.conditions, "ServicesCreated")?.status).toBe("False");
  });
});
