/** The log of what organisers did. Entries are written in the transaction of the change, and never changed. */
import type { Kysely } from "kysely";
import type { AuditRow, Tables } from "../database/schema.ts";
import { newId } from "../submissions/store.ts";

export interface AuditEvent {
  actorId: string;
  /** Such as `team.ban`. */
  action: string;
  target: string;
  /** Without secrets: other organisers read it. */
  before?: unknown;
  after?: unknown;
  at: number;
}

export async function recordAudit(db: Kysely<Tables>, event: AuditEvent): Promise<void> {
  const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));
  await db
    .insertInto("audit")
    .values({
      id: newId(event.at),
      at: event.at,
      actor_id: event.actorId,
      action: event.action,
      target: event.target,
      before: json(event.before),
      after: json(event.after),
    })
    .execute();
}

export type AuditPage = { rows: (AuditRow & { actor_name: string | null })[]; total: number };

/** Newest first; `action` is the beginning of the names of actions, or empty. */
export async function pageOfAudit(
  db: Kysely<Tables>,
  { action, page, pageSize }: { action: string; page: number; pageSize: number },
): Promise<AuditPage> {
  let found = db.selectFrom("audit").leftJoin("player", "player.id", "audit.actor_id");
  if (action !== "") found = found.where("audit.action", "like", `${action.replace(/[%_]/g, "")}%`);
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll("audit")
    .select("player.name as actor_name")
    .orderBy("audit.id", "desc")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return { rows, total };
}
