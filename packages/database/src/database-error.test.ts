import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { DatabaseError } from "./database-error.ts";

const coded = (code: string, message = "failed") => Object.assign(new Error(message), { code });
const sqlite = (errcode: number) => Object.assign(coded("ERR_SQLITE_ERROR"), { errcode });
const errorOf = (cause: unknown) => new DatabaseError("read", "the database", cause);

describe("the message of a DatabaseError", () => {
  const cases: [name: string, cause: unknown, want: string, code: string | undefined][] = [
    ["contains advice for a known code", coded("28P01", "no"), "no (check the user and the password of", "28P01"],
    ["contains the message of PostgreSQL", coded("22P02", "invalid input"), "invalid input", "22P02"],
    ["contains advice for extended SQLite codes", sqlite(517), "failed (another process has locked it", "SQLITE 5"],
    [
      "contains the first reason for a host with several addresses",
      Object.assign(new AggregateError([new Error("connect ECONNREFUSED ::1")]), { code: "ECONNREFUSED" }),
      "connect ECONNREFUSED ::1 (nothing listens",
      "ECONNREFUSED",
    ],
    ["quotes nothing but errors", "secret", "it gave no reason", undefined],
  ];
  for (const [name, cause, want, code] of cases) {
    test(name, () => {
      const error = errorOf(cause);
      expect(error.message).toContain(`cannot read the database: ${want}`);
      expect(error.code).toBe(code);
    });
  }

  test("has a new action and the same reason if the cause is a DatabaseError", () => {
    const error = new DatabaseError("open", "the database", errorOf(sqlite(13)));
    expect(error.message).toBe("cannot open the database: failed (the disk is full; free some space and try again)");
    expect(error).toMatchObject({ code: "SQLITE 13", isUnavailable: true, isUniqueViolation: false });
  });
});

test("a DatabaseError contains nothing that a driver attached to its error", () => {
  const error = errorOf(Object.assign(new Error("lost"), { client: { password: "secret" } }));
  expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain("secret");
});

describe("isUnavailable", () => {
  const unavailable: Record<string, unknown> = {
    "connection refused": coded("ECONNREFUSED"),
    "connection reset": coded("ECONNRESET"),
    "host not found": coded("ENOTFOUND"),
    "DNS failure": coded("EAI_AGAIN"),
    timeout: coded("ETIMEDOUT"),
    "missing Unix socket": Object.assign(coded("ENOENT"), { syscall: "connect" }),
    "lost connection": new Error("Connection terminated unexpectedly"),
    "connect timeout": new Error("Connection terminated due to connection timeout"),
    "pool timeout": new Error("timeout exceeded when trying to connect"),
    "broken client": new Error("Client has encountered a connection error and is not queryable"),
    "closed client": new Error("Client was closed and is not queryable"),
    "discarded connection": new Error("Postgres connection has been discarded"),
    "connection failure (08006)": coded("08006"),
    "too many connections (53300)": coded("53300"),
    "disk full (53100)": coded("53100"),
    "statement timeout (57014)": coded("57014"),
    "shutdown (57P01)": coded("57P01"),
    "starting up (57P03)": coded("57P03"),
    "read-only server (25006)": coded("25006"),
    "idle transaction timeout (25P03)": coded("25P03"),
    "lock timeout (55P03)": coded("55P03"),
    "I/O error (58030)": coded("58030"),
    SQLITE_BUSY: sqlite(5),
    SQLITE_BUSY_SNAPSHOT: sqlite(517),
    SQLITE_LOCKED: sqlite(6),
    SQLITE_READONLY: sqlite(8),
    SQLITE_IOERR_WRITE: sqlite(778),
    SQLITE_FULL: sqlite(13),
    SQLITE_CANTOPEN: sqlite(14),
  };
  for (const [name, cause] of Object.entries(unavailable)) {
    test(`is true: ${name}`, () => expect(errorOf(cause).isUnavailable).toBe(true));
  }

  const others: Record<string, unknown> = {
    "syntax error (42601)": coded("42601"),
    "wrong password (28P01)": coded("28P01"),
    "unique violation (23505)": coded("23505"),
    "serialization failure (40001)": coded("40001"),
    "aborted transaction (25P02)": coded("25P02"),
    SQLITE_CONSTRAINT_UNIQUE: sqlite(2067),
    SQLITE_CORRUPT: sqlite(11),
    SQLITE_NOTADB: sqlite(26),
    "error code of Node": coded("ERR_INVALID_ARG_TYPE"),
    "missing file": Object.assign(coded("ENOENT"), { syscall: "mkdir" }),
    "error without a code": new Error("a bug"),
    "no error": "08006",
  };
  for (const [name, cause] of Object.entries(others)) {
    test(`is false: ${name}`, () => expect(errorOf(cause).isUnavailable).toBe(false));
  }
});

describe("isUniqueViolation", () => {
  const cases: [name: string, cause: unknown, want: boolean][] = [
    ["SQLITE_CONSTRAINT_UNIQUE", sqlite(2067), true],
    ["SQLITE_CONSTRAINT_PRIMARYKEY", sqlite(1555), true],
    ["unique violation (23505)", coded("23505"), true],
    ["SQLITE_CONSTRAINT_FOREIGNKEY", sqlite(787), false],
    ["SQLITE_CONSTRAINT_NOTNULL", sqlite(1299), false],
    ["foreign key violation (23503)", coded("23503"), false],
    ["error without a code", new Error("a bug"), false],
  ];
  for (const [name, cause, want] of cases) {
    test(`is ${want}: ${name}`, () => expect(errorOf(cause).isUniqueViolation).toBe(want));
  }
});
