/**
 * Where records are kept, as one text says it: the URL of a PostgreSQL database, or the path of a SQLite file. What is
 * wrong with it is told without quoting it, since it may hold a password.
 */
export type DatabaseAddress = PostgresAddress | SqliteAddress;

export interface PostgresAddress {
  readonly kind: "postgres";
  /** With the password, if it has one. */
  readonly url: string;
  /** For people: which database on which host. */
  readonly shown: string;
}

export interface SqliteAddress {
  readonly kind: "sqlite";
  readonly path: string;
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

/** No path that somebody means: a URL in quotes or without its colon, or `host=db password=…`. As a path it would be shown. */
const urlLike = /[@"'`]|\/\/|password\s*=/i;

const noPath =
  "cannot use it as the path of a SQLite file: it contains @, a quote, // or password=. " +
  "Give postgres://user:password@host/database without quotes, or a path without these";

function sqliteAddress(path: string): SqliteAddress {
  if (path.trim() === "") throw new RangeError("cannot use a database without a name: the path is empty");
  if (path.includes("\0")) throw new RangeError("cannot use a path that contains the NUL character");
  if (urlLike.test(path)) throw new RangeError(noPath);
  return { kind: "sqlite", path, shown: path === ":memory:" ? "the database in memory" : `the database file ${path}` };
}

const unreadable =
  "cannot read the URL of the PostgreSQL database: write it as postgres://user:password@host:port/database, with %-escapes for special characters";

function postgresAddress(url: string): PostgresAddress {
  const parts = URL.parse(url);
  // A / ? or # in a password that is not escaped ends the host there: the rest would be shown as the database's name.
  const isCut = /^\w+:\/\/[^/?#]*[/?#].*@/s.test(url);
  if (!parts || isCut || !/^\w+:\/\//.test(url)) throw new RangeError(unreadable);
  const host = parts.searchParams.get("host") || decode(parts.hostname) || "localhost";
  const port = parts.port || parts.searchParams.get("port") || "5432";
  const database = decode(parts.pathname.slice(1));
  const which = database ? `the PostgreSQL database ${database}` : "the user's own PostgreSQL database";
  const at = host.startsWith("/") ? `the socket in ${host}` : `${host}:${port}`;
  return { kind: "postgres", url, shown: `${which} at ${at}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError(unreadable);
  }
}
