/** Players with a session each, written straight into the API's database before the API runs. */
import { randomUUID } from "node:crypto";
import { openDatabase } from "@berg/database";
import { migrations } from "../../../packages/api/src/database/migrations.ts";
import type { Tables } from "../../../packages/api/src/database/schema.ts";
import { hashToken, newToken } from "../../../packages/api/src/sessions/tokens.ts";

export interface Account {
  id: string;
  /** As a browser sends it. */
  cookie: string;
}

const day = 24 * 3_600_000;
/** In one statement. */
const mostRows = 500;

/** `database`: a URL of PostgreSQL, or the path of a SQLite file. */
export async function createTables(database: string): Promise<void> {
  await insertAccounts(database, 0);
}

export async function insertAccounts(database: string, count: number): Promise<Account[]> {
  await using opened = await openDatabase<Tables>({ database, component: "api", migrations });
  const now = Date.now();
  const accounts = Array.from({ length: count }, (_, index) => {
    const [id, token] = [randomUUID(), newToken()];
    const player = { id, name: `Player ${index}`, federated_id: `local:${id}`, roles: "player", created_at: now };
    const session = { token_hash: hashToken(token), id: randomUUID(), player_id: id, user_agent: "bench" };
    return { id, cookie: `berg=${token}`, player, session: { ...session, created_at: now, expires_at: now + day } };
  });
  await opened.db.transaction().execute(async (transaction) => {
    for (let from = 0; from < count; from += mostRows) {
      const some = accounts.slice(from, from + mostRows);
      const [players, sessions] = [some.map(({ player }) => player), some.map(({ session }) => session)];
      await transaction.insertInto("player").values(players).execute();
      await transaction.insertInto("session").values(sessions).execute();
    }
  });
  return accounts.map(({ id, cookie }) => ({ id, cookie }));
}
