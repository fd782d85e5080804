import { ConnectionError, LeadershipLost } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { gardenTrouble } from "./trouble.ts";

const tenMinutes = 600_000;

describe("trouble with the garden", () => {
  const table: { name: string; error: Error; reason: string; again: boolean; says: string }[] = [
    {
      name: "a connection that cannot be made",
      error: new ConnectionError("GET https://garden/x: refused", { sent: false, cause: { code: "ECONNREFUSED" } }),
      reason: "GardenerUnreachable",
      again: true,
      says: "Gardener cannot be reached (ECONNREFUSED). It goes on by itself when Gardener is back",
    },
    {
      name: "401",
      error: refusal(401, { message: "Unauthorized" }),
      reason: "GardenerUnauthorized",
      again: true,
      says: "does not accept the credentials of the garden's kubeconfig",
    },
    {
      name: "403",
      error: refusal(403, { message: "not yet ready to handle request" }),
      reason: "GardenerForbidden",
      again: true,
      says: "Gardener forbids it: not yet ready to handle request.",
    },
    {
      name: "403 for a field",
      error: refusal(403, {
        message: 'shoots.core.gardener.cloud "a" is forbidden: spec.region: Unsupported value: "mars"',
      }),
      reason: "GardenerInvalid",
      again: false,
      says: 'spec.region: Unsupported value: "mars". Correct the spec.',
    },
    { name: "404", error: refusal(404), reason: "GardenerNotFound", again: false, says: "Check GARDEN_PROJECT" },
    { name: "409", error: refusal(409), reason: "GardenerConflict", again: true, says: "it is tried again" },
    {
      name: "409 of a create",
      error: refusal(409, { reason: "AlreadyExists", message: 'shoots "a" already exists' }),
      reason: "GardenerConflict",
      again: true,
      says: 'shoots "a" already exists',
    },
    {
      name: "422",
      error: refusal(422, {
        message: "Shoot is invalid",
        details: { causes: [{ field: "spec.region", message: 'Unsupported value: "mars"' }] },
      }),
      reason: "GardenerInvalid",
      again: false,
      says: 'Gardener finds it invalid: spec.region: Unsupported value: "mars". Correct the spec.',
    },
    { name: "429", error: refusal(429), reason: "GardenerBusy", again: true, says: "(429 TooManyRequests)" },
    {
      name: "500",
      error: refusal(500, { message: "request 4711 at 10:00:01 failed" }),
      reason: "GardenerFailing",
      again: true,
      says: "Gardener fails (500 InternalError)",
    },
    { name: "503", error: refusal(503), reason: "GardenerFailing", again: true, says: "(503 ServiceUnavailable)" },
    { name: "400", error: refusal(400, { message: "bad" }), reason: "GardenerRefused", again: false, says: "bad" },
  ];
  test.each(table)("$name: $reason", ({ error, reason, again, says }) => {
    const trouble = gardenTrouble(error);
    expect(trouble).toMatchObject({ reason, again });
    expect(trouble.message).toContain(says);
  });

  test("a 403 that goes on for ten minutes is meant", () => {
    expect(gardenTrouble(refusal(403), tenMinutes - 1).again).toBe(true);
    expect(gardenTrouble(refusal(403), tenMinutes).again).toBe(false);
  });

  test("says nothing that changes with each try, and never a whole page", () => {
    const first = gardenTrouble(refusal(503, { message: "etcd 10.0.0.1:2379 at 10:00:01" })).message;
    expect(gardenTrouble(refusal(503, { message: "etcd 10.0.0.2:2379 at 10:00:02" })).message).toBe(first);
    expect(gardenTrouble(refusal(403, { message: "x".repeat(10_000) })).message.length).toBeLessThan(1000);
  });

  test("is not what went wrong here", () => {
    for (const error of [new TypeError("ours"), new LeadershipLost("not ours to write"), new Error("aborted")]) {
      expect(() => gardenTrouble(error)).toThrow(error);
    }
  });
});
