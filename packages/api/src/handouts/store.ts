/** Who downloaded which file, for organisers who look into the sharing of accounts and files. */
import type { Kysely } from "kysely";
import type { HandoutDownloadTable, Tables } from "../database/schema.ts";

export async function recordDownload(db: Kysely<Tables>, download: HandoutDownloadTable): Promise<void> {
  await db.insertInto("handout_downloads").values(download).execute();
}
