import { type Status, StatusError } from "@berg/apimachinery";
import { ConnectionError, LeadershipLost } from "@berg/kube";
import { expect, test } from "vitest";
import { TargetUnavailable } from "../target/target.ts";
import { TargetTrouble, troubleOf } from "./trouble.ts";

const word = "eyJhbGciOiJSUzI1NiJ9";

function refusal(code: number, reason?: string): StatusError {
  const status: Status = { apiVersion: "v1", kind: "Status", status: "Failure", code, message: `it quotes ${word}` };
  return new StatusError({ ...status, ...(reason !== undefined && { reason }) });
}

test.each<[string, unknown, string, string]>([
  [
    "no connection",
    new ConnectionError(word, { sent: true, cause: undefined }),
    "TargetReachable",
    "TargetUnreachable",
  ],
  ["no way in", new TargetUnavailable("Hibernated", "it sleeps", false), "TargetReachable", "Hibernated"],
  ["a web page", new Error(`the server answered ${word}`), "TargetReachable", "TargetFailing"],
  ["an answer of another shape", new TypeError(`cannot read ${word}`), "TargetReachable", "TargetFailing"],
  ["no error at all", word, "TargetReachable", "TargetFailing"],
  ["401", refusal(401), "TargetReachable", "TargetUnauthorized"],
  ["429", refusal(429), "TargetReachable", "TargetFailing"],
  ["500", refusal(500, word), "TargetReachable", "TargetFailing"],
  ["403", refusal(403), "RBACReady", "TargetForbids"],
  ["422", refusal(422, "Invalid"), "RBACReady", "TargetRefuses"],
  ["409", refusal(409, "AlreadyExists"), "RBACReady", "TargetRefuses"],
  ["a reason that nobody knows", refusal(400, word), "RBACReady", "TargetRefuses"],
])("%s, without a word of the target", (_, error, type, reason) => {
  const trouble = troubleOf(error);
  expect(trouble).toMatchObject({ type, reason });
  expect(trouble.message).not.toContain(word);
});

test("a refusal is told by its code, and by its reason where that is one of Kubernetes", () => {
  expect(troubleOf(refusal(422, "Invalid")).message).toContain("(422 Invalid)");
  expect(troubleOf(refusal(400, word)).message).toContain("(400)");
});

test("it is no trouble of the target that we may not write any more", () => {
  const lost = new LeadershipLost("the lease is lost");
  expect(() => troubleOf(lost)).toThrow(lost);
  const trouble = new TargetTrouble({ type: "Issued", reason: "TokenRefused", message: "", again: true });
  expect(troubleOf(trouble)).toBe(trouble);
});
