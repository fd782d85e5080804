import { describe, expect, test } from "vitest";
import { readDatabaseAddress } from "./address.ts";

describe("readDatabaseAddress", () => {
  const shown: Record<string, string> = {
    "postgres://berg:secret@db.example/berg": "the PostgreSQL database berg at db.example:5432",
    "postgresql://berg:secret@db.example:6432/berg?sslmode=require": "the PostgreSQL database berg at db.example:6432",
    "POSTGRES://berg:secret@[::1]/berg": "the PostgreSQL database berg at [::1]:5432",
    "postgres://berg:s%2Fcret@db.example": "the user's own PostgreSQL database at db.example:5432",
    "postgres:///berg?host=/var/run/postgresql": "the PostgreSQL database berg at the socket in /var/run/postgresql",
    "postgres://%2Fvar%2Frun/berg": "the PostgreSQL database berg at the socket in /var/run",
    "postgres:///my%20db": "the PostgreSQL database my db at localhost:5432",
    ".berg/records.db": "the database file .berg/records.db",
    "/var/lib/berg/a:b.db": "the database file /var/lib/berg/a:b.db",
    "C:\\berg\\records.db": "the database file C:\\berg\\records.db",
    ":memory:": "the database in memory",
  };
  for (const [text, want] of Object.entries(shown)) {
    test(`shows ${text} as ${want}`, () => expect(readDatabaseAddress(text).shown).toBe(want));
  }

  const rejected: Record<string, string> = {
    "": "the path is empty",
    "  ": "the path is empty",
    "a\0b": "NUL",
    '"postgres://berg:secret@db.example/berg"': "without quotes",
    "'postgres://berg:secret@db.example/berg'": "without quotes",
    '"secret.db"': "without quotes",
    "postgres//berg:secret@db.example/berg": "Give postgres://user:password@host/database",
    "//berg:secret": "Give postgres://user:password@host/database",
    "berg:secret@db.example/berg": 'of the kind "berg"',
    "_berg:secret@db.example/berg": "Give postgres://user:password@host/database",
    "host=db.example user=berg password=secret": "Give postgres://user:password@host/database",
    "host=db.example PASSWORD = secret": "Give postgres://user:password@host/database",
    "mysql://berg:secret@db.example/berg": 'of the kind "mysql"',
    "file:secret.db": 'of the kind "file"',
    "postgres:berg:secret@db.example/berg": "write it as postgres://",
    "postgres://berg:se/cret@db.example/berg": "%-escapes",
    "postgres://berg:1/secret@db.example/berg": "%-escapes",
    "postgres://berg:1?secret@db.example/berg": "%-escapes",
    "postgres://berg:1#secret@db.example/berg": "%-escapes",
    "postgres://berg:secret@db.example:port/berg": "%-escapes",
    "postgres://berg:secret@db.example/%zz": "%-escapes",
  };
  for (const [text, want] of Object.entries(rejected)) {
    test(`${JSON.stringify(text)} is rejected without being quoted`, () => {
      expect(() => readDatabaseAddress(text)).toThrow(want);
      expect(() => readDatabaseAddress(text)).not.toThrow("secret");
    });
  }
});
