/** Queries on submissions and incidents. */
import { randomBytes } from "node:crypto";
import { newInstanceId as newRowId } from "@berg/resources";
import type { Kysely } from "kysely";
import type { SubmissionRow, Tables, Verdict } from "../database/schema.ts";
import type { FlagMatch } from "./compare.ts";

/** UUIDv7: in the order of time. */
export function newId(now: number): string {
  return newRowId(now, () => randomBytes(4).readUInt32BE() / 2 ** 32);
}

/** Instances of the challenge, past or present, with this flag. */
export async function findFlagMatches(
  db: Kysely<Tables>,
  challengeName: string,
  flagHmac: string,
): Promise<FlagMatch[]> {
  const rows = await db
    .selectFrom("instances")
    .select(["id", "owner_id", "started_by", "flag_reused"])
    .where("challenge_name", "=", challengeName)
    .where("flag_hmac", "=", flagHmac)
    .orderBy("id")
    .execute();
  return rows.map(({ id, owner_id, started_by, flag_reused }) => ({
    id,
    ownerId: owner_id,
    startedBy: started_by,
    isReused: flag_reused === 1,
  }));
}

export async function hasSolved(db: Kysely<Tables>, scorerId: string, challengeName: string): Promise<boolean> {
  const row = await db
    .selectFrom("ledger")
    .select("id")
    .where("kind", "=", "solve")
    .where("scorer_id", "=", scorerId)
    .where("challenge_name", "=", challengeName)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertSubmission(db: Kysely<Tables>, row: SubmissionRow): Promise<void> {
  await db.insertInto("submission").values(row).execute();
}

export async function insertIncident(
  db: Kysely<Tables>,
  { submissionId, instanceId, now }: { submissionId: string; instanceId: string; now: number },
): Promise<void> {
  await db
    .insertInto("incident")
    .values({
      id: newId(now),
      submission_id: submissionId,
      instance_id: instanceId,
      state: "open",
      note: "",
      decided_by: null,
      decided_at: null,
    })
    .execute();
}

/** Newest first. */
export function listSubmissions(db: Kysely<Tables>, verdicts: readonly Verdict[]): Promise<SubmissionRow[]> {
  return db.selectFrom("submission").selectAll().where("verdict", "in", verdicts).orderBy("id", "desc").execute();
}
