import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@berg/database";
import type { Migration } from "kysely/migration";
import { expect, test } from "vitest";
import { findPlayer } from "../players/store.ts";
import { findSession } from "../sessions/store.ts";
import { hashToken } from "../sessions/tokens.ts";
import { newTestDatabase } from "../testing/test-database.ts";
import { migrations } from "./migrations.ts";
import type { Tables } from "./schema.ts";

test("accounts and sessions of the version before go on", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-api-"));
  try {
    const database = await newTestDatabase(join(directory, "api.db"));
    const options = { database, component: "api" } as const;
    const before = { "2026-11-play": migrations["2026-11-play"] as Migration };
    {
      await using old = await openDatabase<Record<string, Record<string, unknown>>>({ ...options, migrations: before });
      const player = { id: "p", name: "Ada", federated_id: "local:ada", roles: "player,admin", created_at: 1 };
      await old.db.insertInto("player").values(player).execute();
      const session = { token_hash: hashToken("token"), player_id: "p", created_at: 1, expires_at: 10 };
      await old.db.insertInto("session").values(session).execute();
    }
    await using now = await openDatabase<Tables>({ ...options, migrations });
    const player = await findPlayer(now.db, "p");
    expect(player).toMatchObject({ name: "Ada", roles: ["player", "admin"], attributes: {}, createdAt: 1 });
    const session = await findSession(now.db, "token", 5);
    expect(session).toMatchObject({ expiresAt: 10, player: { id: "p" }, id: expect.stringMatching(/^[\w-]{36}$/) });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
