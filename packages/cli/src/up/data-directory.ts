/** Files of the API in the data directory. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export function databaseOf(directory: string): string {
  return join(directory, "api.db");
}

/** Where the running API takes the commands of `berg admin`. */
export function adminSocketOf(directory: string): string {
  return join(directory, "api.sock");
}

const portFile = "web-port";

/** The port of the previous run: sessions and bookmarks of browsers belong to it. */
export async function readWebPort(directory: string): Promise<number | undefined> {
  const text = await readFile(join(directory, portFile), "utf8").catch(() => "");
  return /^\d{1,5}$/.test(text.trim()) ? Number(text) : undefined;
}

export async function keepWebPort(directory: string, port: number): Promise<void> {
  await writeFile(join(directory, portFile), `${port}\n`);
}

const publicUrlFile = "public-url";

/** Where browsers reached the pages lately: of it links are made while no API runs. */
export async function readPublicUrl(directory: string): Promise<string | undefined> {
  const text = await readFile(join(directory, publicUrlFile), "utf8").catch(() => "");
  return URL.parse(text.trim())?.origin;
}

export async function keepPublicUrl(directory: string, publicUrl: string): Promise<void> {
  await writeFile(join(directory, publicUrlFile), `${publicUrl}\n`);
}
