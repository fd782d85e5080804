import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { DatabaseError } from "./database-error.ts";

const refused = (code: string, message: string) => Object.assign(new Error(message), { code });
const cases: [name: string, cause: unknown, want: string, code: string | undefined][] = [
  ["says what to do, where that is known", refused("28P01", "no"), "no (check the user and the password of", "28P01"],
  ["has PostgreSQL's own words", refused("22P02", "invalid input"), "invalid input", "22P02"],
  [
    "knows SQLite's codes, the longer ones too",
    Object.assign(refused("ERR", "locked"), { errcode: 517 }),
    "locked (another",
    "SQLITE 5",
  ],
  [
    "finds words for a host with several addresses",
    Object.assign(new AggregateError([new Error("connect ECONNREFUSED ::1")]), { code: "ECONNREFUSED" }),
    "connect ECONNREFUSED ::1 (nothing listens",
    "ECONNREFUSED",
  ],
  ["repeats nothing that is no error", "secret", "it gave no reason", undefined],
];

describe("an error of the database", () => {
  for (const [name, cause, want, code] of cases) {
    test(name, () => {
      const error = new DatabaseError("read", "the database", cause);
      expect(error.message).toContain(`cannot read the database: ${want}`);
      expect(error.code).toBe(code);
    });
  }

  test("shows nothing of what a driver hangs on its own", () => {
    const cause = Object.assign(new Error("lost"), { client: { password: "secret" } });
    const error = new DatabaseError("read", "the database", cause);
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain("secret");
  });
});
