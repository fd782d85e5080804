/**
 * Parses the address of a database: the URL of a PostgreSQL database, or the path of a SQLite file. Errors never quote
 * the text, since it may contain a password.
 */
export type DatabaseAddress = PostgresAddress | SqliteAddress;

export interface PostgresAddress {
  readonly kind: "postgres";
  /** Contains the password, if there is one. */
  readonly url: string;
  /** For messages: which database on which host. */
  readonly shown: string;
}

export interface SqliteAddress {
  readonly kind: "sqlite";
  readonly path: string;
  /** For messages. */
  readonly shown: string;
}

/** `readDatabaseAddress("postgres://berg:secret@db.example/berg")`, `readDatabaseAddress(".berg/records.db")` */
export function readDatabaseAddress(text: string): DatabaseAddress {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return sqliteAddress(text);
  if (scheme === "postgres" || scheme === "postgresql") return postgresAddress(text);
  throw new RangeError(
    `cannot use a database of the kind "${scheme}": give postgres://user:password@host/database, or the path of a SQLite file`,
  );
}

/** A URL in quotes or without its colon, or `host=db password=…`: taken for a path, it would be shown with the password. */
const urlLike = /[@"'`]|\/\/|password\s*=/i;

const notAPath =
  "cannot use it as the path of a SQLite file: it contains @, a quote, // or password=. " +
  "Give postgres://user:password@host/database without quotes, or a path without these";

function sqliteAddress(path: string): SqliteAddress {
  if (path.trim() === "") throw new RangeError("cannot use a database without a name: the path is empty");
  if (path.includes("\0")) throw new RangeError("cannot use a path that contains the NUL character");
  if (urlLike.test(path)) throw new RangeError(notAPath);
  return { kind: "sqlite", path, shown: path === ":memory:" ? "the database in memory" : `the database file ${path}` };
}

const malformed =
  "cannot read the URL of the PostgreSQL database: write it as postgres://user:password@host:port/database, with %-escapes for special characters";

function postgresAddress(url: string): PostgresAddress {
  const parts = URL.parse(url);
  // An unescaped / ? or # in the password ends the host there, and the rest would be shown as the name of the database.
  const hasUnescapedPassword = /^\w+:\/\/[^/?#]*[/?#].*@/s.test(url);
  if (!parts || hasUnescapedPassword || !/^\w+:\/\//.test(url)) throw new RangeError(malformed);
  const host = parts.searchParams.get("host") || decode(parts.hostname) || "localhost";
  const port = parts.port || parts.searchParams.get("port") || "5432";
  const database = decode(parts.pathname.slice(1));
  const name = database ? `the PostgreSQL database ${database}` : "the user's own PostgreSQL database";
  const server = host.startsWith("/") ? `the socket in ${host}` : `${host}:${port}`;
  return { kind: "postgres", url, shown: `${name} at ${server}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError(malformed);
  }
}
