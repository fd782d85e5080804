import { readdirSync } from "node:fs";
import { join } from "node:path";

const debian = "/usr/lib/postgresql";

/** Why there can be no PostgreSQL here, or nothing. */
export function missingPostgres(): string | undefined {
  if (process.platform !== "linux") return "PostgreSQL for tests runs on Linux alone";
  if (findPostgres()) return undefined;
  return "this machine lacks PostgreSQL: apt-get install postgresql";
}

/** The directory of the newest one that is installed. Debian keeps the server outside the search path. */
export function findPostgres(): string | undefined {
  const versions = listed(debian).sort((a, b) => Number(b) - Number(a));
  const folders = [...versions.map((version) => join(debian, version, "bin")), ...(process.env.PATH ?? "").split(":")];
  return folders.find((folder) =>
    ["postgres", "initdb", "pg_isready", "psql"].every((name) => listed(folder).includes(name)),
  );
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
