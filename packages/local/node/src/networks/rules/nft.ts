/** The `nft` command, run once: how a script gets into the kernel. */
import { spawn } from "node:child_process";

const deadlineMs = 10_000;
// Not in the path of every user, though root may run it.
export const nftEnvironment = { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin` };

/** Puts a script in place, all of it or nothing. */
export function applyScript(script: string): Promise<void> {
  return nft(["-f", "-"], script);
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
export class NftRefusal extends Error {
  constructor(complaint: string) {
    super(`nft refused: ${complaint.trim().split("\n")[0]}`);
    this.name = "NftRefusal";
  }
}

function nft(args: string[], input = ""): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("nft", args, {
      env: nftEnvironment,
      stdio: ["pipe", "ignore", "pipe"],
      timeout: deadlineMs,
    });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (complaint.length < 2000) complaint += text;
    });
    child.on("error", (cause) => reject(new Error(`cannot run nft: ${cause.message}`, { cause })));
    child.on("close", (code, signal) => {
      if (code === 0) return resolve();
      if (code === null) return reject(new Error(`nft was ended by ${signal} before it was done`));
      reject(new NftRefusal(complaint || `exit code ${code}`));
    });
    // One that ends early says why by itself.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
