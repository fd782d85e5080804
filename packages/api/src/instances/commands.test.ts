import { expect, test } from "vitest";
import type { InstanceRow } from "../database/schema.ts";
import { TestApi } from "../testing/test-api.ts";
import { instanceStatus } from "../wire.ts";
import { stopInstance } from "./commands.ts";
import { insertRow } from "./store.ts";

const ids = ["0198c000-0000-7000-8000-000000000001", "0198c000-0000-7000-8000-000000000002"] as const;

test("a stop answers with the instance that it stops, and not with one that was started meanwhile", async () => {
  await using api = await TestApi.start();
  const { playerId } = await api.signedIn("Ada");
  const row = (id: string): InstanceRow => ({
    ...{ id, owner_id: playerId, started_by: playerId, challenge_name: "notes", flag: null, flag_hmac: null },
    ...{ flag_reused: 0, state: "created", started_at: 0, ready_at: null, stop_requested_at: null },
    ...{ terminated_at: null, termination_reason: null, object_name: null, stop_reason: null, timeline: null },
  });
  await insertRow(api.db, row(ids[0]));
  let started: Promise<void> | undefined;
  // Called once the stop is stored: another tab starts the next one before the answer is read.
  api.context.reconcileOwner = () => {
    started = insertRow(api.db, row(ids[1]));
  };
  expect(await stopInstance(api.context, playerId)).toMatchObject({ id: ids[0], status: instanceStatus.terminating });
  await started;
});
