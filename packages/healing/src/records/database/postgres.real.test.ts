import { connect as connectTcp, createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { silentLogger } from "@berg/kube";
import { missingPostgres, startPostgres, type TestPostgres } from "@berg/test";
import { Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lifeNumber, type Place } from "../testing/place.ts";
import { shareRecords } from "../testing/processes.ts";
import { recordsSuite } from "../testing/suite.ts";
import { DatabaseError } from "./database-error.ts";
import { openDatabaseRecords } from "./database-records.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { lockMigrations, postgresDialect, postgresLimits } from "./postgres.ts";
import type { Tables } from "./schema.ts";

const open = (database: string) => openDatabaseRecords({ database });
const connect = (url: string, limits = postgresLimits) =>
  new Kysely<Tables>({ dialect: postgresDialect(url, silentLogger, limits) });

describe.skipIf(missingPostgres())("records in PostgreSQL", () => {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres?.[Symbol.asyncDispose]());

  recordsSuite(
    async (): Promise<Place> => {
      const database = await postgres.newDatabase();
      let lives = 0;
      return {
        open: () => open(database),
        newLife: async () => lifeNumber(++lives),
        allSeen: async () => {},
        [Symbol.asyncDispose]: async () => {},
      };
    },
    { runs: 20 },
  );

  describe("migrations", () => {
    const tables = (url: string) =>
      postgres.query(new URL(url).pathname.slice(1), "select count(*) from pg_tables where schemaname = 'public'");
    const locks = (url: string) =>
      postgres.query(new URL(url).pathname.slice(1), "select count(*) from pg_locks where locktype = 'advisory'");

    test("are made by ten processes at once, which then share the records", async () => {
      const database = await postgres.newDatabase();
      await shareRecords(database, 10, () => open(database));
    }, 300_000);

    test("are made by ten pools at once", async () => {
      const database = await postgres.newDatabase();
      const all = await Promise.all(Array.from({ length: 10 }, () => open(database)));
      await Promise.all(all.map((records, index) => records.live(lifeNumber(index))));
      expect(await all[0]?.open()).toHaveLength(10);
      await Promise.all(all.map((records) => records[Symbol.asyncDispose]()));
    });

    test("that fail leave nothing behind, neither tables nor a lock", async () => {
      const database = await postgres.newDatabase();
      await using db = connect(database);
      const broken: Migration = { up: async (on) => void (await sql`select 1 / 0`.execute(on)) };
      await expect(migrate(db, lockMigrations, { ...migrations, "9999-broken": broken })).rejects.toThrow("division");
      expect([await tables(database), await locks(database)]).toEqual(["0", "0"]);
      await using records = await open(database);
      expect(await records.open()).toEqual([]);
    });

    test("whose connection is lost in the middle leave nothing behind, and end no process", async () => {
      const database = await postgres.newDatabase();
      await using db = connect(database);
      const reached = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const slow: Migration = {
        async up(on) {
          await sql`create table half (a text)`.execute(on);
          reached.resolve();
          await goOn.promise;
          await sql`create table other_half (a text)`.execute(on);
        },
      };
      const migrated = migrate(db, lockMigrations, { ...migrations, "9999-slow": slow });
      const refused = expect(migrated).rejects.toThrow();
      await reached.promise;
      const others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
      const name = new URL(database).pathname.slice(1);
      await postgres.query(name, `select pg_terminate_backend(pid) ${others}`);
      await expect.poll(() => postgres.query(name, `select count(*) ${others}`), { timeout: 20_000 }).toBe("0");
      goOn.resolve();
      await refused;
      expect([await tables(database), await locks(database)]).toEqual(["0", "0"]);
      await migrate(db, lockMigrations);
      expect(await tables(database)).toBe("4");
    });

    test("that another has begun are waited for, and not for ever", async () => {
      const database = await postgres.newDatabase();
      await using db = connect(database);
      await using other = connect(database);
      const end = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const holding = other.transaction().execute(async (transaction) => {
        await lockMigrations(transaction);
        held.resolve();
        await end.promise;
      });
      await held.promise;
      await expect(migrate(db, (transaction) => lockMigrations(transaction, 200))).rejects.toMatchObject({
        code: "55P03",
      });
      const waiting = migrate(db, lockMigrations);
      end.resolve();
      await holding;
      await waiting;
      expect(await tables(database)).toBe("4");
    });

    test("that are done already need no lock", async () => {
      const database = await postgres.newDatabase();
      await using first = await open(database);
      await using other = connect(database);
      await other.transaction().execute(async (transaction) => {
        await lockMigrations(transaction);
        await using second = await open(database);
        expect(await second.open()).toEqual(await first.open());
      });
    });

    test("of a newer version do not keep this one from the records", async () => {
      const database = await postgres.newDatabase();
      await using db = connect(database);
      await migrate(db, lockMigrations, { ...migrations, "9999-more": { up: async () => {} } });
      await using records = await open(database);
      expect(await records.open()).toEqual([]);
    });
  });

  describe("a connection", () => {
    test("that breaks while nobody uses it costs nothing", async () => {
      const database = await postgres.newDatabase("idle");
      await using records = await open(database);
      await records.live(lifeNumber(1));
      await postgres.query("postgres", "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'idle'");
      await expect.poll(() => records.open().catch(() => []), { timeout: 20_000 }).toHaveLength(1);
    });

    test("to a server that says nothing any more is given up, and the next call works again", async () => {
      const database = new URL(await postgres.newDatabase());
      await using tunnel = await startTunnel(postgres.port);
      database.port = String(tunnel.port);
      const db = connect(String(database), { ...postgresLimits, silence: 1_000, connect: 1_000 });
      const ask = () => sql<{ one: number }>`select 1 as one`.execute(db).then(({ rows }) => rows);
      expect(await ask()).toEqual([{ one: 1 }]);
      tunnel.silence();
      await expect(ask()).rejects.toThrow("the server does not answer");
      tunnel.speak();
      await expect.poll(() => ask().catch(() => []), { timeout: 20_000 }).toEqual([{ one: 1 }]);
      await db.destroy();
    });
  });

  describe("an error", () => {
    test("names the database and what to do, and never the password", async () => {
      const url = new URL(await postgres.newDatabase("there"));
      const at = `127.0.0.1:${postgres.port}`;
      const changed = (change: (url: URL) => void) => {
        const other = new URL(url);
        change(other);
        return String(other);
      };
      const secret = "s3cret/p#ss?";
      const cases: Record<string, string> = {
        [changed((to) => {
          to.password = encodeURIComponent(secret);
        })]: `cannot open the PostgreSQL database there at ${at}: password authentication failed for user "berg" (check`,
        [changed((to) => {
          to.pathname = "/nowhere";
        })]: `cannot open the PostgreSQL database nowhere at ${at}: database "nowhere" does not exist (create it`,
        [changed((to) => {
          to.port = "1";
        })]:
          "cannot open the PostgreSQL database there at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1 (nothing listens",
        [changed((to) => {
          to.hostname = "no-such-host.invalid";
        })]: `cannot open the PostgreSQL database there at no-such-host.invalid:${postgres.port}: getaddrinfo`,
      };
      for (const [database, want] of Object.entries(cases)) {
        const error = await open(database).catch((error: unknown) => error);
        expect(error).toBeInstanceOf(DatabaseError);
        expect((error as Error).message).toContain(want);
        const all = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
        for (const word of [postgres.password, secret, encodeURIComponent(secret)]) expect(all).not.toContain(word);
      }
    });

    test("of a user who may not make tables says so", async () => {
      await postgres.newDatabase("closed");
      await postgres.query(
        "closed",
        "create role reader login password 'r/e@d'; revoke create on schema public from public",
      );
      const database = `postgres://reader:${encodeURIComponent("r/e@d")}@127.0.0.1:${postgres.port}/closed`;
      await expect(open(database)).rejects.toThrow(
        "permission denied for schema public (the user needs the right to do this; creating tables is among what it needs)",
      );
    });
  });

  test("a server that is killed and comes back costs the calls under way, and nothing that was answered", async () => {
    const database = await postgres.newDatabase();
    await using records = await open(database);
    const answered: string[] = [];
    const errors: unknown[] = [];
    let number = 0;
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        const life = lifeNumber(++number);
        await records.live(life).then(
          () => answered.push(life.uid),
          async (error) => {
            errors.push(error);
            await new Promise((resolve) => setTimeout(resolve, 20));
          },
        );
      }
    };
    const writers = [write(), write(), write(), write()];
    const more = async () => {
      const before = answered.length;
      await expect.poll(() => answered.length, { timeout: 30_000 }).toBeGreaterThan(before + 20);
    };
    await more();
    await postgres.kill();
    await expect.poll(() => errors.length, { timeout: 20_000 }).toBeGreaterThan(4);
    await postgres.start();
    await more();
    await postgres.stop();
    await postgres.start();
    await more();
    isOver = true;
    await Promise.all(writers);
    const kept = new Set((await records.open()).map(({ uid }) => uid));
    expect(answered.filter((uid) => !kept.has(uid))).toEqual([]);
    for (const error of errors) expect(error).toBeInstanceOf(DatabaseError);
    expect(inspect(errors, { depth: 20, showHidden: true })).not.toContain(postgres.password);
  });
});

/** A way to a port that can fall silent, as a machine that is lost does: nothing is refused, nothing comes. */
async function startTunnel(to: number) {
  const pairs = new Set<[Socket, Socket]>();
  let isSilent = false;
  const server = createServer((near) => {
    const far = connectTcp(to, "127.0.0.1");
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    const [dead, born] = [new Set<Socket>(), isSilent];
    for (const [from, into] of [pair, [far, near] as const]) {
      from.on("data", (chunk) => {
        if (!isSilent && !born && !dead.has(from)) into.write(chunk);
        else dead.add(from);
      });
      from.on("error", () => {});
      from.on("close", () => into.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    silence() {
      isSilent = true;
    },
    speak() {
      isSilent = false;
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
