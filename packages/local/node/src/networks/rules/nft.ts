/** The `nft` command: how rules get into the kernel. */
import { spawn } from "node:child_process";

/** Puts a script in place, all of it or nothing. */
export type ApplyScript = (script: string) => Promise<void>;

const deadlineMs = 10_000;

export function applyScript(script: string): Promise<void> {
  return nft(["-f", "-"], script);
}

export async function hasTable(table: string): Promise<boolean> {
  try {
    await nft(["list", "table", "inet", table]);
    return true;
  } catch (error) {
    if (error instanceof NftRefusal) return false;
    throw error;
  }
}

export async function removeTable(table: string): Promise<void> {
  await applyScript(`table inet ${table} {}\ndelete table inet ${table}\n`);
}

/** Undefined where it works, else why not. */
export async function whyNoNft(): Promise<string | undefined> {
  try {
    await nft(["list", "tables"]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "it does not start";
  }
}

/** It ran, and said no. */
class NftRefusal extends Error {}

function nft(args: string[], input = ""): Promise<void> {
  return new Promise((resolve, reject) => {
    // Not in the path of every user, though root may run it.
    const env = { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin` };
    const child = spawn("nft", args, { env, stdio: ["pipe", "ignore", "pipe"], timeout: deadlineMs });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (complaint.length < 2000) complaint += text;
    });
    child.on("error", (cause) => reject(new Error(`cannot run nft: ${cause.message}`, { cause })));
    child.on("close", (code, signal) => {
      if (code === 0) return resolve();
      if (code === null) return reject(new Error(`nft was ended by ${signal} before it was done`));
      reject(new NftRefusal(`nft refused: ${complaint.trim().split("\n")[0] || `exit code ${code}`}`));
    });
    // One that ends early says why by itself.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
