/** What a command has around it: where it writes, whom it asks for time and chance, and who tells it to stop. */
import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "@berg/kube";
import type { RandomBytes } from "@berg/resources";

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

export interface Surroundings {
  /** What was asked for. */
  stdout: Output;
  /** What happens meanwhile, and what went wrong. */
  stderr: Output;
  env: NodeJS.ProcessEnv;
  directory: string;
  clock: Clock;
  randomBytes: RandomBytes;
  /** Ctrl-C. */
  signal: AbortSignal;
}

/** 0 as asked, 1 not so, 2 asked in a way that could not be understood. */
export type ExitCode = 0 | 1 | 2;

/** Those of this process. The first Ctrl-C lets the command say its last word; the second ends it. */
export function processSurroundings(): Surroundings {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort(new Error("told to stop")));
  // Whoever reads no further, as `head` does, has enough.
  process.stdout.on("error", () => process.exit(0));
  const { stdout, stderr, env } = process;
  return { stdout, stderr, env, directory: process.cwd(), clock: systemClock, randomBytes, signal: stop.signal };
}
