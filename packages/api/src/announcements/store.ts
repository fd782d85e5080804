/** Announcements that were not withdrawn. */
import type { Kysely } from "kysely";
import { renderDescription } from "../challenges/present.ts";
import type { AnnouncementRow, Tables } from "../database/schema.ts";
import type { Announcement } from "../wire.ts";

/** Older ones are of no use to anybody. */
const mostListed = 100;

/** Newest first. */
export function listAnnouncements(db: Kysely<Tables>): Promise<AnnouncementRow[]> {
  return present(db).orderBy("id", "desc").limit(mostListed).execute();
}

export function findAnnouncement(db: Kysely<Tables>, id: string): Promise<AnnouncementRow | undefined> {
  return present(db).where("id", "=", id).executeTakeFirst();
}

export function presentAnnouncement({ id, at, title, content }: AnnouncementRow): Announcement {
  return { id, at: new Date(at).toISOString(), title, content: renderDescription(content) };
}

function present(db: Kysely<Tables>) {
  return db.selectFrom("announcement").selectAll().where("deleted_at", "is", null);
}
