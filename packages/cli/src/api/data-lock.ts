/** The directory of the API's SQLite file: one process at a time may use it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "@berg/kube";
import { databaseOf } from "../up/data-directory.ts";

/** Held until it is disposed of, or the process ends in whichever way: it is the kernel that holds it. */
export function lockData(directory: string): Disposable {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(directory, "api.lock"), { timeout: 0 });
    lock.exec("begin exclusive");
  } catch (error) {
    lock?.close();
    const isLocked = (error as { errcode?: number }).errcode === 5;
    const reason = isLocked ? "another berg api or berg up uses it; stop that one" : (error as Error).message;
    throw new ConfigurationError(`cannot use the data directory ${directory}: ${reason}`);
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/** Its path. It holds flags: only its owner may read it. SQLite gives the files beside it the same mode. */
export async function sqliteFile(directory: string): Promise<string> {
  const file = databaseOf(directory);
  await writeFile(file, "", { flag: "a", mode: 0o600 });
  return file;
}
