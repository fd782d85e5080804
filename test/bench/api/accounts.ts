/** Players with a session each, written straight into the API's SQLite file before the API runs. */
import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "@berg/database";
import { migrations } from "../../../packages/api/src/database/migrations.ts";
import { hashToken, newToken } from "../../../packages/api/src/sessions/tokens.ts";

export interface Account {
  id: string;
  /** As a browser sends it. */
  cookie: string;
}

const day = 24 * 3_600_000;

export async function createTables(file: string): Promise<void> {
  const database = await openDatabase({ database: file, component: "api", migrations });
  await database[Symbol.asyncDispose]();
}

export function insertAccounts(file: string, count: number): Account[] {
  using db = new DatabaseSync(file);
  const player = db.prepare(
    "insert into player (id, name, federated_id, roles, created_at) values (?, ?, ?, 'player', ?)",
  );
  const session = db.prepare(
    "insert into session (token_hash, id, player_id, created_at, expires_at, user_agent) values (?, ?, ?, ?, ?, 'bench')",
  );
  const now = Date.now();
  db.exec("begin");
  const accounts = Array.from({ length: count }, (_, index) => {
    const [id, token] = [randomUUID(), newToken()];
    player.run(id, `Player ${index}`, `local:${id}`, now);
    session.run(hashToken(token), randomUUID(), id, now, now + day);
    return { id, cookie: `berg=${token}` };
  });
  db.exec("commit");
  return accounts;
}
