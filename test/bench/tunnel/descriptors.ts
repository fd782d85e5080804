import { execFile } from "node:child_process";
import { promisify } from "node:util";

const shell = async (script: string) => (await promisify(execFile)("sh", ["-c", script])).stdout.trim();

/**
 * As many descriptors as are wanted, or as many as the machine lets a process of ours have: to have more takes
 * CAP_SYS_RESOURCE, or `ulimit -Hn` raised before the bench is started.
 */
export async function descriptorsToHave(wanted: number): Promise<number> {
  try {
    await shell(`ulimit -n ${wanted}`);
    return wanted;
  } catch {
    return Number(await shell("ulimit -H -n"));
  }
}

/** The same program with so many descriptors: `["node", "main.ts"]` becomes a shell that limits itself and then is it. */
export function withDescriptors(count: number, program: readonly string[]): [command: string, args: string[]] {
  return ["sh", ["-c", `ulimit -n ${count} && exec "$@"`, "sh", ...program]];
}
