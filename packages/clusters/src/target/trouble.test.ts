import { ConnectionError, LeadershipLost } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { AddressRefused } from "./address/lookup.ts";
import { TargetUnavailable } from "./target.ts";
import { targetTrouble } from "./trouble.ts";

const broken = (cause: unknown) => new ConnectionError("GET https://target: broken", { sent: false, cause });

describe("trouble with a target", () => {
  test.each([
    ["nobody there", broken({ code: "ECONNREFUSED" }), "TargetUnreachable", true, "(ECONNREFUSED)"],
    ["an end without a word", broken(undefined), "TargetUnreachable", true, "cannot be reached. It is"],
    [
      "another's certificate",
      broken({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }),
      "TargetUntrusted",
      true,
      "certificate-authority-data",
    ],
    [
      "another name",
      broken({ code: "ERR_TLS_CERT_ALTNAME_INVALID" }),
      "TargetUntrusted",
      true,
      "for the host in server",
    ],
    ["an unknown signer", broken({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }), "TargetUntrusted", true, "trusted"],
    ["a forbidden address", broken(new AddressRefused()), "AddressRefused", false, "BYOC_ALLOW_CIDRS"],
    ["401", refusal(401), "TargetUnauthorized", true, "give new ones"],
    ["403", refusal(403, { message: "the target's own words" }), "TargetForbidden", true, "cluster-admin"],
    ["429", refusal(429), "TargetFailing", true, "(429)"],
    ["503", refusal(503, { message: "the target's own words" }), "TargetFailing", true, "(503)"],
    ["404", refusal(404), "TargetFailing", true, "(404)"],
    ["a page", new Error("the target's own words are not JSON"), "TargetFailing", true, "makes no sense"],
    ["an empty object", new TypeError("x is not iterable"), "TargetFailing", true, "makes no sense"],
  ])("%s", (_, error, reason, again, says) => {
    const trouble = targetTrouble(error);
    expect(trouble).toMatchObject({ reason, again });
    expect(trouble.message).toContain(says);
    expect(trouble.message).not.toContain("own words");
  });

  test("stays what it is where it was told already", () => {
    const told = new TargetUnavailable("Hibernated", "asleep", false);
    expect(targetTrouble(told)).toBe(told);
  });

  test("is not the end of our lease", () => {
    const error = new LeadershipLost("x");
    expect(() => targetTrouble(error)).toThrow(error);
  });
});
