/**
 * Runs a bench in a network namespace of its own, in which only the loopback is. A firewall, or what container engines
 * leave of one, makes the kernel keep a record of every connection: that costs about as much as a short connection
 * itself, and when its table is full packets are dropped.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Figure } from "./figure.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const mark = "BERG_BENCH_OWN_NETWORK";

/** Only root may have one; everybody else measures with what is there. */
export function needsOwnNetwork(): boolean {
  return process.getuid?.() === 0 && process.env[mark] === undefined;
}

export async function inOwnNetwork(name: string, quick: boolean): Promise<Figure[]> {
  const bench = [process.execPath, main, name, "--json", ...(quick ? ["--quick"] : [])];
  const run = promisify(execFile)("unshare", ["--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...bench], {
    env: { ...process.env, [mark]: "yes" },
  });
  run.child.stderr?.pipe(process.stderr);
  const { figures } = JSON.parse((await run).stdout) as { figures: Figure[] };
  return figures;
}
