/** What went wrong with the database, said with where it is and never with how one signs in to it. */
export class DatabaseError extends Error {
  /** PostgreSQL's SQLSTATE, SQLite's or the network's code. */
  readonly code: string | undefined;

  constructor(doing: string, shown: string, cause: unknown) {
    const { code, words } = readCause(cause);
    const advice = code === undefined ? undefined : advices[code];
    super(`cannot ${doing} ${shown}: ${words}${advice ? ` (${advice})` : ""}`);
    this.name = "DatabaseError";
    this.code = code;
    // Not as `cause`: drivers hang on their errors what they know, the client and its settings among it.
  }
}

/** SQLSTATE, errno or SQLite's primary result code → what to do. */
const advices: Record<string, string> = {
  "28P01": "check the user and the password of DATABASE_URL",
  "28000": "check the user of DATABASE_URL, and who may sign in on the server",
  "3D000": "create it, or check the name in DATABASE_URL",
  "42501": "the user needs the right to do this; creating tables is among what it needs",
  "53300": "the server has no connection left; raise its max_connections or run fewer processes",
  "55P03": "another process has been changing the tables for a long time; look at what holds it up",
  ECONNREFUSED: "nothing listens there; check the host and the port of DATABASE_URL, and whether the server runs",
  ENOTFOUND: "there is no such host; check DATABASE_URL",
  "SQLITE 5": "another process holds it for long",
  "SQLITE 8": "it may not be written to",
  "SQLITE 11": "it is damaged; move it away to start anew, or put a copy of it back",
  "SQLITE 13": "the disk is full; make room, and try again",
  "SQLITE 14": "see that its directory is there and may be written to",
  "SQLITE 26": "it is not a SQLite file; move it away to start anew",
};

function readCause(cause: unknown): { code: string | undefined; words: string } {
  if (!(cause instanceof Error)) return { code: undefined, words: "it gave no reason" };
  const { code, errcode } = cause as { code?: unknown; errcode?: unknown };
  const known = typeof errcode === "number" ? `SQLITE ${errcode & 0xff}` : typeof code === "string" ? code : undefined;
  // A host with several addresses is refused with a list of errors and no words of its own.
  const words = cause.message || (cause instanceof AggregateError && textOf(cause.errors[0])) || cause.name;
  return { code: known, words };
}

function textOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}
