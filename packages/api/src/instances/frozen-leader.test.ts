/** What a leader does that was frozen between its read and its write, while the next one worked. */
import { StatusError } from "@berg/apimachinery";
import { openDatabase } from "@berg/database";
import type { Client } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { migrations } from "../database/migrations.ts";
import type { InstanceRow, Tables } from "../database/schema.ts";
import { newTestDatabase } from "../testing/test-database.ts";
import { endRow, findRow, insertRow, setState, setTimeline } from "./store.ts";
import { reconcileOwner } from "./sync.ts";

const { signal } = new AbortController();
const requested: InstanceRow = {
  ...{ id: "i", owner_id: "o", started_by: "o", challenge_name: "web", flag: null, flag_hmac: null, flag_reused: 0 },
  ...{ state: "requested", started_at: 1, ready_at: null, stop_requested_at: null, terminated_at: null },
  ...{ termination_reason: null, object_name: null, stop_reason: null, timeline: null },
};
const refusal = (code: number, reason: string) =>
  new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: "", reason, code });

const open = async () => openDatabase<Tables>({ database: await newTestDatabase(), component: "api", migrations });

test("an instance that the next leader created meanwhile does not end", async () => {
  await using database = await open();
  const { db } = database;
  await insertRow(db, requested);
  const client = {
    async get() {
      // The answer is from before the freeze; the next leader has created the object since.
      await setState(db, "i", "requested", "created");
      throw refusal(404, "NotFound");
    },
    async create() {
      throw refusal(409, "AlreadyExists");
    },
  } as unknown as Client;
  const fromCaches = { findChallenge: () => undefined, cachedObjects: () => [], timeoutOf: () => undefined };
  const deps = { db, client, clock: new FakeClock(), namespace: "berg", flagKey: Buffer.alloc(32), ...fromCaches };
  await reconcileOwner(deps, "o", signal);
  expect(await findRow(db, "i")).toMatchObject({ state: "created", terminated_at: null });
});

test("a late write changes nothing of an instance that has ended", async () => {
  await using database = await open();
  const { db } = database;
  await insertRow(db, requested);
  expect(await endRow(db, "i", { at: 2, reason: "UserRequest" })).toBe(true);
  const ended = await findRow(db, "i");
  expect(await setState(db, "i", "requested", "created")).toBe(false);
  expect(await endRow(db, "i", { at: 3, reason: "Failure" })).toBe(false);
  expect(await findRow(db, "i")).toEqual(ended);
});

test("a timeline takes the place of the one that was read alone", async () => {
  await using database = await open();
  const { db } = database;
  await insertRow(db, requested);
  const timeline = { instanceId: "i", stages: [], failure: null };
  expect(await setTimeline(db, requested, timeline)).toBe(true);
  expect(await setTimeline(db, requested, { ...timeline, instanceId: "late" })).toBe(false);
  expect((await findRow(db, "i"))?.timeline).toBe(JSON.stringify(timeline));
});
