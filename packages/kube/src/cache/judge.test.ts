import { FrameError, type Status, StatusError } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectionError } from "../client/transport.ts";
import { ConfigMaps } from "../kinds.ts";
import {
  ErrorFrame,
  HistoryReset,
  isWorrying,
  judge,
  reconnectDelay,
  remedyFor,
  Stalled,
  type Verdict,
} from "./judge.ts";

const status = (code: number, reason = "", causes?: { reason: string }[]): Status => ({
  apiVersion: "v1",
  kind: "Status",
  status: "Failure",
  code,
  reason,
  ...(causes && { details: { causes } }),
});
const tooLarge = status(504, "Timeout", [{ reason: "ResourceVersionTooLarge" }]);
const broken = new ConnectionError("reset", { sent: true, cause: undefined });

describe("the end of a watch", () => {
  const ends: Record<string, { error?: unknown; followedMs?: number; failures?: number; want: Verdict }> = {
    "in order after a while": { followedMs: 1_000, failures: 3, want: { failures: 0 } },
    "in order but at once": { followedMs: 999, failures: 3, want: { failures: 4 } },
    "in order before anything was followed": { want: { failures: 1 } },
    "cut soon": { error: broken, followedMs: 9_999, failures: 3, want: { failures: 4 } },
    "cut after a steady time, which forgives what was before": {
      error: broken,
      followedMs: 10_000,
      failures: 3,
      want: { failures: 1 },
    },
    silent: { error: new Stalled(90_000), followedMs: 90_000, failures: 3, want: { failures: 1 } },
    "turned away for now": { error: new StatusError(status(429)), failures: 1, want: { failures: 2 } },
    "not allowed": { error: new StatusError(status(403)), want: { failures: 1 } },
    "410 by its reason": { error: new StatusError(status(410, "Expired")), want: { relist: "expired", failures: 1 } },
    "410 by its code alone": { error: new StatusError(status(410)), want: { relist: "expired", failures: 1 } },
    "410 in a frame": { error: new ErrorFrame(status(410, "Expired")), want: { relist: "expired", failures: 1 } },
    "another frame of error": { error: new ErrorFrame(status(500)), want: { relist: "error_frame", failures: 1 } },
    "a frame that says too busy": { error: new ErrorFrame(status(429)), want: { relist: "error_frame", failures: 1 } },
    "a frame that cannot be read": {
      error: new FrameError("truncated", { frame: 1, offset: 0 }, "it ended"),
      want: { relist: "garbled", failures: 1 },
    },
    "a server behind us": { error: new StatusError(tooLarge), want: { relist: "reset", failures: 1 } },
    "a version that went back": { error: new HistoryReset("10", "9"), want: { relist: "reset", failures: 1 } },
    "a mistake of our own": { error: new TypeError("x is undefined"), want: { failures: 1 } },
  };
  for (const [name, { error, followedMs = 0, failures = 0, want }] of Object.entries(ends)) {
    test(name, () => expect(judge(error, followedMs, failures)).toEqual(want));
  }
});

test("the wait before the next watch is anywhere up to a ceiling that doubles from 0.8 s to 30 s", () => {
  const ceilings = [1, 2, 3, 4, 5, 6, 7, 100, 2_000].map((failures) => reconnectDelay(failures, () => 1));
  expect(ceilings).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
      const delay = reconnectDelay(failures, () => chance);
      expect(delay).toBeCloseTo(chance * reconnectDelay(failures, () => 1));
    }),
  );
});

describe("a failure", () => {
  const failures: Record<string, { error?: unknown; filled?: boolean; failures?: number; want: boolean }> = {
    "before anything was listed": { error: broken, filled: false, want: true },
    "that a listed copy outlives": { error: broken, failures: 4, want: false },
    "that goes on": { error: broken, failures: 5, want: true },
    "by a server that closes every watch at once": { failures: 5, want: true },
    "for want of rights": { error: new StatusError(status(403)), want: true },
    "for want of a name": { error: new StatusError(status(401)), want: true },
    "for want of the resource": { error: new StatusError(status(404)), want: true },
    "of a busy server": { error: new StatusError(status(429)), want: false },
  };
  for (const [name, { error, filled = true, failures: count = 1, want }] of Object.entries(failures)) {
    test(`${name} is ${want ? "" : "not "}worrying`, () => {
      expect(isWorrying(error, { filled, failures: count })).toBe(want);
    });
  }
});

const cut = (code: string) => new ConnectionError("cut", { sent: false, cause: Object.assign(new Error(), { code }) });
const says = (message: string, code = 400) => new StatusError({ ...status(code), message });
const remedies: Record<string, { errors: unknown[]; want: string }> = {
  "that cannot be reached": {
    errors: ["ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"].map(cut),
    want: "check the server address in the kubeconfig, and that it is up",
  },
  "whose certificate is not trusted": {
    errors: ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"].map(cut),
    want: "add certificate-authority(-data) of the server to the kubeconfig",
  },
  "that expects TLS": {
    errors: [
      says("the server answered 400: Client sent an HTTP request to an HTTPS server."),
      says("the server answered 400: The plain HTTP request was sent to HTTPS port"),
    ],
    want: "write https:// in the kubeconfig",
  },
};
for (const [name, { errors, want }] of Object.entries(remedies)) {
  test(`a server ${name} has a remedy`, () => {
    expect(errors.map((error) => remedyFor(error, ConfigMaps))).toEqual(errors.map(() => want));
  });
}

test("there is a remedy only for what a person can remedy", () => {
  const passing = [undefined, broken, cut("ECONNRESET"), new Stalled(1), says("bad", 400), says("busy", 503)];
  for (const error of [...passing, new StatusError(tooLarge)]) {
    expect(remedyFor(error, ConfigMaps)).toBeUndefined();
  }
});
