import { connect as connectTcp, createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { silentLogger } from "@berg/kube";
import { missingPostgres, startPostgres, type TestPostgres } from "@berg/test";
import { Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DatabaseError } from "./database-error.ts";
import { type MigrationLock, migrate } from "./migrate.ts";
import { migrationLock, newPool, postgresDialect, postgresTimeouts } from "./postgres.ts";
import { addNote, type NoteTables, noteIds, noteMigrations, openNotes, openTeams } from "./testing/notes.ts";

const connect = (url: string, timeouts = postgresTimeouts) =>
  new Kysely<NoteTables>({ dialect: postgresDialect(newPool(url, silentLogger, { timeouts })) });
const lock = migrationLock("runtime");

interface ApplyOptions {
  more?: Record<string, Migration>;
  lock?: MigrationLock;
}
const apply = (db: Kysely<NoteTables>, { more = {}, lock: taken = lock }: ApplyOptions = {}) =>
  migrate(db, { component: "runtime", migrations: { ...noteMigrations, ...more }, lock: taken });

describe.skipIf(missingPostgres())("PostgreSQL", () => {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres?.[Symbol.asyncDispose]());

  describe("migrations", () => {
    const tables = (url: string) =>
      postgres.query(new URL(url).pathname.slice(1), "select count(*) from pg_tables where schemaname = 'public'");
    const locks = (url: string) =>
      postgres.query(new URL(url).pathname.slice(1), "select count(*) from pg_locks where locktype = 'advisory'");

    test("are applied once by ten handles that open at the same time", async () => {
      const database = await postgres.newDatabase();
      const all = await Promise.all(Array.from({ length: 10 }, () => openNotes(database)));
      await Promise.all(all.map(({ db }, index) => addNote(db, String(index))));
      expect(await noteIds(all[0]?.db as Kysely<NoteTables>)).toHaveLength(10);
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
    });

    test("of two components are kept apart, and do not wait for each other", async () => {
      const database = await postgres.newDatabase("shared");
      await using other = connect(database);
      await other.transaction().execute(async (transaction) => {
        await lock(transaction as never);
        const keys = "select classid || ' ' || objid from pg_locks where locktype = 'advisory'";
        expect(await postgres.query("shared", keys)).toBe(`${0x62657267} ${0x72756e74}`);
        await using teams = await openTeams(database);
        expect(await teams.db.selectFrom("team").selectAll().execute()).toEqual([]);
      });
      await using notes = await openNotes(database);
      expect(await noteIds(notes.db)).toEqual([]);
      const names = "select string_agg(tablename, ' ' order by tablename) from pg_tables where schemaname = 'public'";
      expect(await postgres.query("shared", names)).toBe(
        "api_migration api_migration_lock note runtime_migration runtime_migration_lock team",
      );
    });

    test("that fail leave nothing behind, neither tables nor a lock", async () => {
      const database = await postgres.newDatabase();
      await using db = connect(database);
      const broken: Migration = { up: async (on) => void (await sql`select 1 / 0`.execute(on)) };
      await expect(apply(db, { more: { "9999-broken": broken } })).rejects.toThrow("division");
      expect([await tables(database), await locks(database)]).toEqual(["0", "0"]);
      await using notes = await openNotes(database);
      expect(await noteIds(notes.db)).toEqual([]);
    });

    test("whose connection is lost halfway leave nothing behind, and do not end the process", async () => {
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
      const migrated = apply(db, { more: { "9999-slow": slow } });
      const refused = expect(migrated).rejects.toThrow();
      await reached.promise;
      const others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
      const name = new URL(database).pathname.slice(1);
      await postgres.query(name, `select pg_terminate_backend(pid) ${others}`);
      await expect.poll(() => postgres.query(name, `select count(*) ${others}`), { timeout: 20_000 }).toBe("0");
      goOn.resolve();
      await refused;
      expect([await tables(database), await locks(database)]).toEqual(["0", "0"]);
      await apply(db);
      expect(await tables(database)).toBe("3");
    });

    test("of another process are waited for, up to a timeout", async () => {
      const database = await postgres.newDatabase();
      await using db = connect(database);
      await using other = connect(database);
      const end = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const holding = other.transaction().execute(async (transaction) => {
        await lock(transaction as never);
        held.resolve();
        await end.promise;
      });
      await held.promise;
      await expect(apply(db, { lock: migrationLock("runtime", 200) })).rejects.toMatchObject({ code: "55P03" });
      const waiting = apply(db);
      end.resolve();
      await holding;
      await waiting;
      expect(await tables(database)).toBe("3");
    });

    test("need no lock if all are applied", async () => {
      const database = await postgres.newDatabase();
      await using first = await openNotes(database);
      await using other = connect(database);
      await other.transaction().execute(async (transaction) => {
        await lock(transaction as never);
        await using second = await openNotes(database);
        expect(await noteIds(second.db)).toEqual(await noteIds(first.db));
      });
    });

    test("of a newer version do not prevent an older one from opening it", async () => {
      const database = await postgres.newDatabase();
      await using db = connect(database);
      await apply(db, { more: { "9999-more": { up: async () => {} } } });
      await using notes = await openNotes(database);
      expect(await noteIds(notes.db)).toEqual([]);
    });
  });

  describe("a connection", () => {
    test("that breaks while idle is replaced", async () => {
      const database = await postgres.newDatabase("idle");
      await using notes = await openNotes(database);
      await addNote(notes.db, "a");
      await postgres.query("postgres", "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'idle'");
      await expect.poll(() => noteIds(notes.db).catch(() => []), { timeout: 20_000 }).toHaveLength(1);
    });

    test("to a server that stops answering is closed, and the next query works again", async () => {
      const database = new URL(await postgres.newDatabase());
      await using tunnel = await startTunnel(postgres.port);
      database.port = String(tunnel.port);
      const db = connect(String(database), { ...postgresTimeouts, socket: 1_000, connect: 1_000 });
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
        const error = await openNotes(database).catch((error: unknown) => error);
        expect(error).toBeInstanceOf(DatabaseError);
        expect((error as Error).message).toContain(want);
        const all = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
        for (const word of [postgres.password, secret, encodeURIComponent(secret)]) expect(all).not.toContain(word);
      }
    });

    test("names what was done, and tells unique violations and timeouts apart", async () => {
      const database = await postgres.newDatabase();
      await using notes = await openNotes(database);
      await addNote(notes.db, "a", "text");
      const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
      const write = expect.stringContaining("cannot write to the PostgreSQL database");
      for (const [id, text] of [
        ["a", "other"],
        ["b", "text"],
      ] as const) {
        const error = await failure(addNote(notes.db, id, text));
        expect(error).toMatchObject({ message: write, isUniqueViolation: true, isUnavailable: false });
      }
      const timeout = await failure(
        notes.db.transaction().execute(async (transaction) => {
          await sql`set local statement_timeout = 50`.execute(transaction);
          await sql`select pg_sleep(60)`.execute(transaction);
        }),
      );
      const read = expect.stringContaining("cannot read the PostgreSQL database");
      expect(timeout).toMatchObject({ message: read, code: "57014", isUnavailable: true });
      await sql`set default_transaction_read_only = on`.execute(notes.db);
      const readOnly = await failure(addNote(notes.db, "c"));
      expect(readOnly).toMatchObject({ code: "25006", isUnavailable: true });
    });

    test("of the application in a transaction rolls back and stays as it is", async () => {
      await using notes = await openNotes(await postgres.newDatabase());
      const problem = new Error("no such team");
      const transaction = notes.db.transaction().execute(async (transaction) => {
        await addNote(transaction, "a");
        throw problem;
      });
      await expect(transaction).rejects.toBe(problem);
      expect(await noteIds(notes.db)).toEqual([]);
    });

    test("says that the user may not create tables", async () => {
      await postgres.newDatabase("closed");
      await postgres.query(
        "closed",
        "create role reader login password 'r/e@d'; revoke create on schema public from public",
      );
      const database = `postgres://reader:${encodeURIComponent("r/e@d")}@127.0.0.1:${postgres.port}/closed`;
      await expect(openNotes(database)).rejects.toThrow(
        "permission denied for schema public (grant the user this right; the user must also be able to create tables)",
      );
    });
  });

  test("a server that is killed and restarted fails the queries in flight, and loses no answered write", async () => {
    const database = await postgres.newDatabase();
    await using notes = await openNotes(database);
    const answered: string[] = [];
    const errors: unknown[] = [];
    let number = 0;
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        const id = String(++number);
        await addNote(notes.db, id).then(
          () => answered.push(id),
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
    const kept = new Set(await noteIds(notes.db));
    expect(answered.filter((id) => !kept.has(id))).toEqual([]);
    for (const error of errors) {
      expect(error).toBeInstanceOf(DatabaseError);
      expect(error).toMatchObject({ isUnavailable: true });
    }
    expect(inspect(errors, { depth: 20, showHidden: true })).not.toContain(postgres.password);
  });
});

/** A proxy that can stop forwarding, like a server that lost its network: no bytes come, and no connection is refused. */
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
