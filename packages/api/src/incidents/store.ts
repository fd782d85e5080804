/** Queries on sharing incidents: the evidence is joined from the submission and the instance. */
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";

export async function pageOfIncidents(
  db: Kysely<Tables>,
  { state, page, pageSize }: { state: "open" | "dismissed" | "confirmed" | "all"; page: number; pageSize: number },
) {
  const counted = db.selectFrom("incident").select(({ fn }) => fn.countAll<number>().as("total"));
  const { total } = await (state === "all" ? counted : counted.where("state", "=", state)).executeTakeFirstOrThrow();
  const found = evidence(db);
  const rows = await (state === "all" ? found : found.where("incident.state", "=", state))
    .orderBy("incident.id", "desc")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return { rows, total };
}

export function findIncident(db: Kysely<Tables>, id: string): Promise<IncidentEvidence | undefined> {
  return evidence(db).where("incident.id", "=", id).executeTakeFirst();
}

export type IncidentEvidence = Awaited<ReturnType<ReturnType<typeof evidence>["executeTakeFirstOrThrow"]>>;

function evidence(db: Kysely<Tables>) {
  return db
    .selectFrom("incident")
    .innerJoin("submission", "submission.id", "incident.submission_id")
    .innerJoin("player as submitter", "submitter.id", "submission.player_id")
    .innerJoin("instances", "instances.id", "incident.instance_id")
    .leftJoin("player as owner", "owner.id", "instances.owner_id")
    .leftJoin("team", "team.id", "instances.owner_id")
    .select([
      "incident.id",
      "incident.state",
      "incident.note",
      "incident.decided_by",
      "incident.decided_at",
      "submission.at",
      "submission.challenge_name",
      "submission.player_id",
      "submission.scorer_id",
      "submission.address",
      "submitter.name as submitter_name",
      "instances.id as instance_id",
      "instances.owner_id",
      "instances.started_at",
      "instances.terminated_at",
      "owner.name as owner_name",
      "team.name as team_name",
    ]);
}
