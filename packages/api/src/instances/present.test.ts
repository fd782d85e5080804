import type { ChallengeInstance } from "@berg/resources";
import { expect, test } from "vitest";
import type { InstanceRow } from "../database/schema.ts";
import { presentInstance } from "./present.ts";

const id = "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d";
const row: InstanceRow = {
  id,
  owner_id: id,
  started_by: id,
  challenge_name: "notes",
  flag: "flag{secret}",
  flag_hmac: "0",
  flag_reused: 0,
  state: "created",
  started_at: Date.UTC(2026, 9, 1, 18),
  ready_at: null,
  stop_requested_at: null,
  terminated_at: null,
  termination_reason: null,
  object_name: null,
  stop_reason: null,
  timeline: null,
};
const services = [{ name: "web", hostname: "x.localhost", port: 8000, protocol: "TCP", appProtocol: "HTTP" }];

function shown(status: object | undefined, changes: Partial<InstanceRow> = {}, metadata: object = {}) {
  const object = status && ({ metadata, spec: {}, status } as unknown as ChallengeInstance);
  return presentInstance({ row: { ...row, ...changes }, object, recipientId: id, maxRenewals: 3 });
}

test.each([
  ["requested", undefined, { state: "requested" }, {}, 1, "Requested"],
  ["created, without a status yet", {}, {}, {}, 1, "Requested"],
  ["starting", { phase: "Starting" }, {}, {}, 1, "Starting"],
  ["failed", { phase: "Failed", reason: "NoNodeFits" }, {}, {}, 0, "Failed"],
  ["running", { phase: "Running", services }, {}, {}, 2, "Running"],
  ["to be stopped", { phase: "Running", services }, { stop_requested_at: 1 }, {}, 3, "Terminating"],
  ["being deleted", { phase: "Running", services }, {}, { deletionTimestamp: "now" }, 3, "Terminating"],
  ["created, and not in the cache yet", undefined, {}, {}, 1, "Requested"],
] as const)("an instance that is %s", (_, status, changes, metadata, number, phase) => {
  const instance = shown(status, changes, metadata);
  expect([instance.status, instance.phase]).toEqual([number, phase]);
  if (number === 3) expect(instance.services).toEqual([]);
  expect(JSON.stringify(instance)).not.toContain("secret");
});

test("services are written as clients of the original read them", () => {
  expect(shown({ phase: "Running", services }).services).toEqual([
    { name: "web", hostname: "x.localhost", port: 8000, protocol: "tcp", appProtocol: "http", tls: false },
  ]);
});

test("a stage has a time once its condition is true", () => {
  const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: "2026-10-01T18:00:02Z" });
  const conditions = [condition("Admitted", "True"), condition("NamespaceCreated", "False")];
  const { stages } = shown({ phase: "Creating", conditions });
  expect(stages.map(({ stage, at }) => `${stage} ${at}`)).toEqual([
    "requested 2026-10-01T18:00:00.000Z",
    "accepted 2026-10-01T18:00:02.000Z",
    "namespace null",
    "workloads null",
    "ready null",
  ]);
});
