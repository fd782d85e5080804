/**
 * With a data directory: asks the running API over its socket; where none runs, changes the database itself. With
 * DATABASE_URL, as in a pod of `berg api`: always changes the database, which all replicas share.
 */
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type AdminCommand, askRunningApi, longestSocketPath, runAdminCommandOn } from "@berg/api";
import { readDatabaseAddress } from "@berg/database";
import { readPublicUrl as parsePublicUrl } from "../public-url.ts";
import { adminSocketOf, databaseOf, readPublicUrl } from "../up/data-directory.ts";
import type { Role } from "./admin.ts";

export interface LinkOptions extends RolesOptions {
  role: Role[];
  personal?: boolean;
}

export interface RolesOptions {
  dataDir?: string;
}

const defaultDataDir = ".berg";

/** The account that `berg up` creates as well. */
const firstAdmin = { name: "Admin", roles: ["admin"] } as const;

export function runLink(name: string | undefined, { role, personal, dataDir }: LinkOptions): Promise<string> {
  const account =
    name === undefined ? { name: firstAdmin.name, roles: [...firstAdmin.roles, ...role] } : { name, roles: role };
  return runCommand(dataDir, { command: "link", ...account, kind: personal ? "personal" : "one-time" });
}

export function runRoles(name: string, roles: Role[], { dataDir }: RolesOptions): Promise<string> {
  return runCommand(dataDir, { command: "roles", name, roles });
}

function runCommand(dataDir: string | undefined, command: AdminCommand): Promise<string> {
  const { DATABASE_URL: database = "", PUBLIC_URL: publicUrl = "" } = process.env;
  if (dataDir !== undefined || database === "") return runInDirectory(dataDir ?? defaultDataDir, command);
  return runOnDatabase({ database, publicUrl }, command);
}

async function runOnDatabase(
  { database, publicUrl }: { database: string; publicUrl: string },
  command: AdminCommand,
): Promise<string> {
  // Its message does not contain the URL, which may hold a password.
  if (readDatabaseAddress(database).kind !== "postgres") {
    throw new Error("cannot read DATABASE_URL: it is not a postgres:// URL; --data-dir is for a SQLite file");
  }
  if (publicUrl === "") throw new Error("cannot read PUBLIC_URL: it is not set. Give the one of berg api");
  return (await runAdminCommandOn({ database, publicUrl: parsePublicUrl(publicUrl) }, command)).output;
}

async function runInDirectory(dataDir: string, command: AdminCommand): Promise<string> {
  const directory = resolve(dataDir);
  if (!(await stat(directory).catch(() => undefined))?.isDirectory()) {
    throw new Error(`there is no data directory ${directory}; start Berg with "berg up", or name it with --data-dir`);
  }
  const path = adminSocketOf(directory);
  const isReachable = Buffer.byteLength(path) <= longestSocketPath;
  const answer = isReachable ? await askRunningApi(path, command) : undefined;
  if (answer) return answer.output;
  const database = databaseOf(directory);
  const publicUrl = await readPublicUrl(directory);
  if (!existsSync(database) || publicUrl === undefined) {
    throw new Error(`the pages of Berg have never run with ${directory}; start "berg up --data-dir ${dataDir}" once`);
  }
  using _ = lockDataDirectory(directory, isReachable ? undefined : path);
  return (await runAdminCommandOn({ database, publicUrl }, command)).output;
}

const isLocked = 5;

/** Held while the database is changed, so that no Berg starts meanwhile. Throws where one runs. */
function lockDataDirectory(directory: string, longPath: string | undefined): Disposable {
  const file = join(directory, "store.db");
  // SQLite would create it.
  if (!existsSync(file)) return { [Symbol.dispose]() {} };
  const store = new DatabaseSync(file);
  try {
    store.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE");
  } catch (error) {
    store.close();
    if (((error as { errcode?: number }).errcode ?? 0) % 256 !== isLocked) throw error;
    throw new Error(
      longPath === undefined
        ? `Berg runs with ${directory}, but takes no commands: it is still starting, or older than this command. Try again, or restart it.`
        : `Berg runs with ${directory}, but cannot be reached: ${longPath} is longer than ${longestSocketPath} bytes. Stop it, or use a data directory with a shorter path.`,
    );
  }
  return {
    [Symbol.dispose]() {
      store.exec("ROLLBACK");
      store.close();
    },
  };
}
