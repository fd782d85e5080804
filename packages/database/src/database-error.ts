import { isOutdated } from "./named-statements.ts";

/** An error of the database. Its message names the database, the reason and the next step, and no credentials. */
export class DatabaseError extends Error {
  /** The SQLSTATE of PostgreSQL, `SQLITE <primary result code>`, or the code of a network or file error. */
  readonly code: string | undefined;
  /** The database cannot do this now, whatever the query: it is not reachable, overloaded, full or read-only. */
  readonly isUnavailable: boolean;
  /** A row with the same primary key or unique column exists. */
  readonly isUniqueViolation: boolean;
  /** The transaction was rolled back because of others at the same time, and may succeed when it is run again. */
  readonly isRetryable: boolean;
  readonly #failure: Failure;

  /** `new DatabaseError("write to", "the database file a.db", error)`: cannot write to the database file a.db: … */
  constructor(action: string, shown: string, cause: unknown) {
    // A DatabaseError as the cause keeps its reason, with another action: a failed query while opening.
    const failure = cause instanceof DatabaseError ? cause.#failure : readFailure(cause);
    const advice = failure.code === undefined ? undefined : adviceByCode[failure.code];
    super(`cannot ${action} ${shown}: ${failure.reason}${advice ? ` (${advice})` : ""}`);
    this.name = "DatabaseError";
    this.code = failure.code;
    this.isUnavailable = failure.isUnavailable;
    this.isUniqueViolation = failure.isUniqueViolation;
    this.isRetryable = failure.isRetryable;
    this.#failure = failure;
    // Not as `cause`: drivers attach the client to their errors, with its settings and the password.
  }
}

interface Failure {
  readonly code: string | undefined;
  readonly reason: string;
  readonly isUnavailable: boolean;
  readonly isUniqueViolation: boolean;
  readonly isRetryable: boolean;
}

/** SQLSTATE, errno or SQLite's primary result code → what to do. */
const adviceByCode: Record<string, string> = {
  "28P01": "check the user and the password of DATABASE_URL",
  "28000": "check the user of DATABASE_URL, and which users the server accepts",
  "3D000": "create it, or check the name in DATABASE_URL",
  "42501": "grant the user this right; the user must also be able to create tables",
  "53300": "the server has no connection left; raise its max_connections or run fewer processes",
  "55P03": "another process has been changing the tables for a long time; find out what blocks it",
  ECONNREFUSED: "nothing listens there; check the host and the port of DATABASE_URL, and whether the server runs",
  ENOTFOUND: "there is no such host; check DATABASE_URL",
  "SQLITE 5": "another process has locked it for a long time",
  "SQLITE 8": "the file or its directory is read-only",
  "SQLITE 11": "the file is damaged; restore a backup, or move it away to start with an empty one",
  "SQLITE 13": "the disk is full; free some space and try again",
  "SQLITE 14": "check that its directory exists and is writable",
  "SQLITE 26": "it is not a SQLite file; move it away to start with an empty one",
};

/**
 * Connection exceptions (08), insufficient resources (53), operator intervention and statement timeout (57), read-only
 * server (25006), timeouts of idle and long transactions (25P03, 25P04) and of locks (55P03), I/O errors (58030).
 */
const unavailableSqlState = /^(?:(?:08|53|57)[0-9A-Z]{3}|25006|25P03|25P04|55P03|58030)$/;

/** A deadlock, or a serialization failure: PostgreSQL has rolled back the transaction. */
const retryableSqlState = new Set(["40001", "40P01"]);

/** BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL (a locking race). */
const unavailableSqlite = new Set([5, 6, 8, 10, 13, 14, 15]);

const unavailableNetwork = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** `pg` and `pg-pool` give these errors no code. */
const unavailableMessage =
  /^(?:Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)|discarded$/;

/** SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY. */
const uniqueSqlite = new Set([2067, 1555]);

function readFailure(cause: unknown): Failure {
  const none = { code: undefined, isUnavailable: false, isUniqueViolation: false, isRetryable: false };
  if (!(cause instanceof Error)) return { ...none, reason: "it gave no reason" };
  // A host with several addresses fails with an AggregateError that has no message.
  const reason = cause.message || (cause instanceof AggregateError && messageOf(cause.errors[0])) || cause.name;
  const { code, errcode, syscall } = cause as { code?: unknown; errcode?: unknown; syscall?: unknown };
  if (typeof errcode === "number") {
    const primary = errcode & 0xff;
    const isUnavailable = unavailableSqlite.has(primary);
    const isUniqueViolation = uniqueSqlite.has(errcode);
    return { code: `SQLITE ${primary}`, reason, isUnavailable, isUniqueViolation, isRetryable: false };
  }
  if (typeof code !== "string") return { ...none, reason, isUnavailable: unavailableMessage.test(reason) };
  // Any failed connect, for example ENOENT of a Unix socket.
  const isUnreachable = unavailableNetwork.has(code) || syscall === "connect";
  return {
    code,
    reason,
    isUnavailable: isUnreachable || unavailableSqlState.test(code),
    isUniqueViolation: code === "23505",
    isRetryable: retryableSqlState.has(code) || isOutdated(cause),
  };
}

function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}
