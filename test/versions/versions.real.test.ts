/** An upgrade: the version before runs beside this one on the same database, and its data is kept. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@berg/database";
import { openDatabaseRecords } from "@berg/healing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrations } from "../../packages/api/src/database/migrations.ts";
import type { Tables } from "../../packages/api/src/database/schema.ts";
import { findSession } from "../../packages/api/src/sessions/store.ts";
import { Cluster, type Replica } from "../api/cluster.ts";
import { isEmpty, isRunning, type StoredRow } from "../api/instance-lives.ts";
import { type Call, SignedIn, send } from "../api/site.ts";
import { missingPostgres } from "../postgres/missing.ts";
import { startPostgres } from "../postgres/postgres.ts";
import { eventually } from "../runtime/eventually.ts";
import { startEmbeddedWorld } from "../scenarios/embedded-world.ts";
import { checkOut, missingVersion, type OldVersion, runOld } from "./old-version.ts";

/** The first version that passed its tests on PostgreSQL; its tables are those of the SQLite files of its time. */
const commit = "20587765eae6af3dbca316e3c8e1204e43cfd94e";

/** Run by the old version: an account with a session, two instances with the same flag, and a record of the listener. */
const fill = `
  import { openDatabase } from "@berg/database";
  import { openDatabaseRecords } from "@berg/healing";
  const { database } = JSON.parse(process.argv[1]);
  const { migrations } = await import(process.cwd() + "/packages/api/src/database/migrations.ts");
  const { hashToken } = await import(process.cwd() + "/packages/api/src/sessions/tokens.ts");
  const { db } = await openDatabase({ database, component: "api", migrations });
  const player = { id: "ada", name: "Ada", federated_id: "local:ada", roles: "player,admin", created_at: 1 };
  await db.insertInto("player").values(player).execute();
  const session = { token_hash: hashToken("token"), id: "s", player_id: "ada", created_at: 1, expires_at: 10 };
  await db.insertInto("session").values(session).execute();
  const row = { owner_id: "ada", started_by: "ada", challenge_name: "web", flag: "flag{x}", flag_hmac: "h", flag_reused: 0, started_at: 1 };
  await db.insertInto("instances").values({ ...row, id: "1", state: "ended", terminated_at: 2, termination_reason: "Timeout" }).execute();
  await db.insertInto("instances").values({ ...row, id: "2", state: "created" }).execute();
  const download = { player_id: "ada", challenge_name: "web", file_name: "a.zip", at: 1 };
  await db.insertInto("handout_downloads").values(download).execute();
  await db.insertInto("competition").values({ name: "competition", spec: "{}", seen_at: 1 }).execute();
  await db.destroy();
  const records = await openDatabaseRecords({ database });
  await records.live({ uid: "u", instance: { namespace: "berg", name: "owner-ada" }, namespace: "challenge-x", ownerId: "ada", challenge: "web", status: "RUNNING", startedAt: 1 });
  await records[Symbol.asyncDispose]();
`;

/** Run by the old version: this one would migrate the tables. */
const makeLink = `
  import { runAdminCommandOn } from "@berg/api";
  const { database, publicUrl, name } = JSON.parse(process.argv[1]);
  const command = { command: "link", name, roles: [], kind: "personal" };
  console.log((await runAdminCommandOn({ database, publicUrl }, command)).output);
`;

describe.skipIf(missingVersion(commit))("the version before", () => {
  let old: OldVersion;
  beforeAll(async () => {
    old = await checkOut(commit);
  });
  afterAll(() => old?.[Symbol.asyncDispose]());

  const oldLink = ({ database, publicUrl }: Cluster, name: string) =>
    runOld(old, makeLink, { database, publicUrl, name });
  const keepsRows = async (database: string) => {
    await runOld(old, fill, { database });
    await using now = await openDatabase<Tables>({ database, component: "api", migrations });
    const session = await findSession(now.db, "token", 5);
    expect(session).toMatchObject({ id: "s", player: { name: "Ada", roles: ["player", "admin"] } });
    const rows = await now.db.selectFrom("instances").selectAll().orderBy("id").execute();
    expect(rows.map(({ id, state, flag, flag_reused }) => [id, state, flag, flag_reused])).toEqual([
      ["1", "ended", "flag{x}", 0],
      // Two instances have it: only one of them is its first.
      ["2", "created", "flag{x}", 1],
    ]);
    expect(await now.db.selectFrom("handout_downloads").selectAll().execute()).toHaveLength(1);
    expect(await now.db.selectFrom("competition").selectAll().execute()).toHaveLength(1);
    await using records = await openDatabaseRecords({ database });
    expect(await records.open()).toEqual([expect.objectContaining({ uid: "u", challenge: "web" })]);
  };

  test("leaves a SQLite file that is upgraded in place", async () => {
    const directory = await mkdtemp(join(tmpdir(), "berg-upgrade-"));
    try {
      await keepsRows(join(directory, "berg.db"));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  describe.skipIf(missingPostgres())("on PostgreSQL", () => {
    test("leaves tables that are upgraded in place", async () => {
      await using postgres = await startPostgres();
      await keepsRows(await postgres.newDatabase());
    });

    test("runs beside this one on its tables, while requests come", async () => {
      await using cluster = await Cluster.prepare(() => startEmbeddedWorld());
      const first = await cluster.addReplica({ main: old.main });
      const player = await cluster.signInWith(await oldLink(cluster, "Ada"));
      expect((await player.start("notes")).status).toBe(200);
      const { id } = await player.until("runs", isRunning);
      const { id: playerId } = await player.player();
      const failures: string[] = [];
      let isOver = false;
      const reading = (async () => {
        while (!isOver) {
          for (const replica of cluster.replicas) {
            if (!replica.isServing) continue;
            const { port } = replica;
            const host = { publicUrl: cluster.publicUrl, port };
            const headers = { cookie: player.cookie };
            const read = send<{ id: string }>(host, "/api/players/current", { headers });
            const answer = await read.catch(() => undefined);
            // While it stops, the old one refuses what is on its way.
            const isExpected = replica.main === old.main && !replica.isServing;
            if (answer && answer.status !== 200 && !isExpected)
              failures.push(`${port}: ${answer.status} ${answer.text}`);
            if (answer?.status === 200) expect(answer.body.id).toBe(playerId);
          }
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      // Migrates the tables under the old one.
      const next = await cluster.addReplica();
      const life = async (browser: SignedIn, challenge: string) => {
        expect((await browser.stop()).status).toBe(200);
        await browser.until("is gone", isEmpty);
        expect((await browser.start(challenge)).status).toBe(200);
        await browser.until("runs", isRunning);
        expect((await browser.renew()).status).toBe(200);
      };
      /** A browser whose requests go to this replica. */
      const at = ({ port }: Replica) => {
        const { publicUrl } = cluster;
        const call = <T>(path: string, call: Call = {}) => send<T>({ publicUrl, port }, path, call);
        return new SignedIn({ publicUrl, port, call }, player.cookie);
      };
      expect((await at(next).instance()).id).toBe(id);
      // The old one leads. What another replica asks for, it finds once a minute only.
      await life(at(first), "vault");
      expect((await at(next).instance()).name).toBe("vault");
      // The new one leads, and the old one starts on tables that it does not know.
      await first.stop();
      await eventually("the new one leads", () => next.isLeading);
      const again = await cluster.addReplica({ main: old.main });
      await life(at(again), "notes");
      await life(player, "vault");
      // The old one leads, alone.
      await next.stop();
      await eventually("the old one leads", () => again.isLeading);
      await life(player, "notes");
      const late = await cluster.signInWith(await oldLink(cluster, "Grace"));
      expect((await late.start("notes")).status).toBe(200);
      await late.until("runs", isRunning);
      const last = await cluster.addReplica();
      await again.stop();
      await eventually("the new one leads again", () => last.isLeading);
      await life(player, "vault");
      await late.stop();
      await late.until("is gone", isEmpty);
      isOver = true;
      await reading;
      expect(failures).toEqual([]);
      const rows = await cluster.rows<StoredRow>("instances");
      expect(rows.filter(({ state }) => state !== "ended")).toHaveLength(1);
      expect(rows.filter(({ state, termination_reason }) => state === "ended" && !termination_reason)).toEqual([]);
    }, 300_000);
  });
});
