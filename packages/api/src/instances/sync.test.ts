import type { Stored } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import { annotations, type ChallengeInstance } from "@berg/resources";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { instanceName } from "../context.ts";
import type { InstanceRow } from "../database/schema.ts";
import { TestApi } from "../testing/test-api.ts";
import { insertRow, openRows } from "./store.ts";
import { reconcileOwner } from "./sync.ts";

const ownerId = "0198c000-0000-7000-8000-000000000001";
const id = "0198c000-0000-7000-8000-000000000002";
const { signal } = new AbortController();

let api: TestApi;
let calls: string[];
beforeEach(async () => {
  api = await TestApi.start();
  calls = [];
});
afterEach(() => api[Symbol.asyncDispose]());

/** The API server cannot be had in a unit test: this one records what it is asked, and knows no object. */
const client = new Proxy({} as Client, {
  get: (_, method: string) => async () => {
    calls.push(method);
    if (method === "get") throw Object.assign(new Error("not found"), { name: "unexpected read" });
  },
});

function row(changes: Partial<InstanceRow>): InstanceRow {
  return {
    ...{ id, owner_id: ownerId, started_by: ownerId, challenge_name: "notes", flag: null, flag_hmac: null },
    ...{ flag_reused: 0, state: "created", started_at: 0, ready_at: null, stop_requested_at: null },
    ...{ terminated_at: null, termination_reason: null, object_name: null, stop_reason: null, timeline: null },
    ...changes,
  };
}

function object(changes: Partial<ChallengeInstance> = {}): Stored<ChallengeInstance> {
  const metadata = { name: instanceName(ownerId), namespace: "berg", annotations: { [annotations.instanceId]: id } };
  return { metadata, spec: { ownerId }, status: { phase: "Creating" }, ...changes } as Stored<ChallengeInstance>;
}

function reconcile(cached: Stored<ChallengeInstance>[]): Promise<void> {
  const { db, clock, flagKey } = api.context;
  const none = { findChallenge: () => undefined, timeoutOf: () => undefined };
  return reconcileOwner(
    { db, clock, client, flagKey, namespace: "berg", cachedObjects: () => cached, ...none },
    ownerId,
    signal,
  );
}

describe("a reconcile", () => {
  test("of a row and an object that agree makes no request", async () => {
    await insertRow(api.db, row({}));
    await reconcile([object()]);
    expect(calls).toEqual([]);
  });

  test("of a new start creates the object without a read", async () => {
    await insertRow(api.db, row({ state: "requested" }));
    await reconcile([]);
    expect(calls).toEqual(["create"]);
    expect((await openRows(api.db, ownerId)).map(({ state }) => state)).toEqual(["created"]);
  });

  test.each<[string, Partial<InstanceRow>, Partial<ChallengeInstance>]>([
    ["was stopped", { state: "stopping", stop_requested_at: 1 }, {}],
    ["is ready for the first time", {}, { status: { phase: "Running", readyAt: "2026-11-18T12:00:00Z" } as never }],
    ["has ended", {}, { status: { phase: "Terminated" } as never }],
    ["has failed, and no timeline is stored", {}, { status: { phase: "Failed" } as never }],
  ])("of one that %s reads the object from the API server", async (_, changes, observed) => {
    await insertRow(api.db, row(changes));
    await expect(reconcile([object(observed)])).rejects.toThrow("not found");
    expect(calls).toEqual(["get"]);
  });
});
