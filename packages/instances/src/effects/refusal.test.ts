import { findCondition, NotOurs, Services } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { StatusDraft } from "../phases/draft.ts";
import { makeInstance, startOfTest } from "../testing/make-objects.ts";
import { EffectFailure } from "./perform.ts";
import { inOurWords, type Refusal, refusalOf, sayRefused } from "./refusal.ts";

const child = { type: Services, manifest: { metadata: { name: "web" } } };
const failure = (cause: unknown) => new EffectFailure({ do: "make", child }, cause);
const terminating = { causes: [{ reason: "NamespaceTerminating", message: "", field: "metadata.namespace" }] };
const field = { causes: [{ reason: "FieldValueInvalid", message: '"flag{x}" is wrong', field: "spec.ports[0].port" }] };

const denied = 'admission webhook "guard" denied the request: use our registry';

describe("what the server's answer means", () => {
  test.each([
    {
      cause: new NotOurs(Services, "n", "web"),
      want: { reason: "NameConflict", isFinal: false, why: expect.stringMatching(/does not carry our mark/) },
    },
    {
      cause: refusal(422, { reason: "Invalid", message: 'Invalid value: "flag{x}"', details: field }),
      want: {
        reason: "ManifestRefused",
        isFinal: true,
        why: "the server finds it invalid: spec.ports[0].port",
      },
    },
    {
      cause: refusal(422, { reason: "Invalid", message: denied }),
      want: { reason: "ManifestRefused", isFinal: true, words: denied },
    },
    {
      cause: refusal(403, { reason: "Forbidden", message: "exceeded quota: q" }),
      want: { reason: "QuotaExceeded", isFinal: false, words: "exceeded quota: q" },
    },
    {
      cause: refusal(403, {
        reason: "Forbidden",
        message: 'services is forbidden: User "system:serviceaccount:berg:berg-controller" cannot create resource',
      }),
      want: { reason: "Forbidden", isFinal: false, words: "services is forbidden: Berg cannot create resource" },
    },
    { cause: refusal(400, { message: denied }), want: { reason: "Refused", isFinal: false, words: denied } },
    {
      cause: refusal(405, { message: "create is not supported" }),
      want: { reason: "Refused", isFinal: false, words: "create is not supported" },
    },
    {
      cause: refusal(413, { message: "limit is 3145728" }),
      want: { reason: "Refused", isFinal: false, words: "limit is 3145728" },
    },
    {
      cause: refusal(404, { reason: "NotFound", message: "the server answered 404: 404 page not found" }),
      want: {
        reason: "KindMissing",
        isFinal: false,
        why: "the cluster does not serve Service any more; install its definition again",
      },
    },
    {
      cause: refusal(429, { reason: "TooManyRequests" }),
      want: { reason: "TooManyRequests", isFinal: false, why: expect.stringMatching(/is busy/) },
    },
    {
      cause: refusal(500, { reason: "InternalError" }),
      want: { reason: "ServerError", isFinal: false, why: expect.stringMatching(/has trouble/) },
    },
    {
      cause: refusal(503, { reason: "ServiceUnavailable" }),
      want: { reason: "ServerError", isFinal: false, why: expect.stringMatching(/has trouble/) },
    },
  ])("$cause.message: $want.reason", ({ cause, want }) => {
    expect(refusalOf(failure(cause))).toEqual(want);
  });

  test("of anything but a child nothing is for good: that would end the instance, or begin it anew", () => {
    const cause = refusal(422, { reason: "Invalid", message: denied });
    for (const effect of ["deleteInstance", "addFinalizer", "removeFinalizer"] as const) {
      const want = { reason: "Refused", isFinal: false, words: denied };
      expect(refusalOf(new EffectFailure({ do: effect }, cause))).toEqual(want);
    }
  });

  test.each([
    refusal(409, { reason: "Conflict" }),
    refusal(409, { reason: "AlreadyExists" }),
    refusal(422, { reason: "Invalid", details: { causes: [{ field: "metadata.uid" }] } }),
    refusal(404, { reason: "NotFound", message: 'namespaces "challenge-1" not found' }),
    refusal(404, { reason: "NotFound", message: 'services "web" not found' }),
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

  test.each(["Starting", "Failed"] as const)("while it starts, or is stuck (%s): no phase is gone back to", (phase) => {
    expect(said(makeInstance().inPhase(phase), 403)).toMatchObject({ phase: "Starting", reason: "QuotaExceeded" });
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

  const sayAgain = (instance: ReturnType<typeof makeInstance>, cause: unknown, child = "web") => {
    const draft = new StatusDraft({ instance: instance.object, now: startOfTest + 60_000 });
    const manifest = { metadata: { name: child } };
    const error = new EffectFailure({ do: "make", child: { type: Services, manifest } }, cause);
    sayRefused(draft, error, refusalOf(error) as Refusal);
    return draft.status;
  };
  const request = (id: number) => refusal(403, { reason: "Forbidden", message: `denied (request ${id})` });

  test("again about the same child, for the same reason, in other words: nothing new", () => {
    const status = sayAgain(makeInstance().inPhase("Creating"), request(1));
    expect(status.message).toBe("The Service web cannot be made: denied (request 1)");
    const known = makeInstance().withStatus(status);
    expect(sayAgain(known, request(2))).toEqual(status);
    expect(sayAgain(known, request(2), "game").message).toBe("The Service game cannot be made: denied (request 2)");
    expect(sayAgain(known, refusal(400, { message: "no" })).message).toBe("The Service web cannot be made: no");
  });

  test.each([
    ["flag{canary-$x}", "The Service web cannot be made: FLAG=[flag]"],
    ["short", "The Service web cannot be made: (withheld: it may quote the flag)"],
  ])("of what was sent: not the flag %s", (flag, want) => {
    const cause = refusal(400, { message: `FLAG=${flag.replaceAll("$", "$$$$")}` });
    expect(sayAgain(makeInstance().withSpec({ flag }).inPhase("Creating"), cause).message).toBe(want);
  });

  test("in the log: which object, and the reason, and not a word of the server's", () => {
    const cause = refusal(400, { message: "FLAG=flag{x}", details: { retryAfterSeconds: 3 } });
    const error = inOurWords(failure(cause), refusalOf(failure(cause)) as Refusal);
    expect(error.message).toBe("cannot make the Service web: Refused");
    expect(error.cause).toBe(cause);
  });
});
