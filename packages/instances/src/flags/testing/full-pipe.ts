/** A pipe that takes nothing more until it is read: where a slow reader leaves whoever writes to it. */
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { run } from "./programs.ts";

export class FullPipe {
  readonly #reader: number;
  /** The end for the program; opened apart, so that it alone is non-blocking or not. */
  readonly writer: number;
  /** How many bytes stand in the pipe before the program writes any. */
  readonly filling: number;

  constructor(directory: string, { blocking }: { blocking: boolean }) {
    const path = join(directory, `pipe-${blocking ? "blocking" : "non-blocking"}`);
    run(["mkfifo", path]);
    this.#reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.writer = openSync(path, constants.O_WRONLY | (blocking ? 0 : constants.O_NONBLOCK));
    this.filling = fill(this.#reader);
  }

  read(size: number): Buffer {
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, readSync(this.#reader, bytes));
  }

  [Symbol.dispose](): void {
    closeSync(this.#reader);
    closeSync(this.writer);
  }
}

/** The end of a pipe that nobody reads and nobody will. */
export function brokenPipe(directory: string): number {
  const path = join(directory, "pipe-broken");
  run(["mkfifo", path]);
  const reader = openSync(path, constants.O_RDWR);
  const writer = openSync(path, constants.O_WRONLY);
  closeSync(reader);
  return writer;
}

/** Whether the process runs something else than a shell, and the system has put it to sleep. */
export function isAsleep(pid: number): boolean {
  const [, name, state] = readFileSync(`/proc/${pid}/stat`, "utf8").match(/\((.*)\) (\w)/s) ?? [];
  return name !== "sh" && state === "S";
}

function fill(writer: number): number {
  const chunk = Buffer.alloc(4096, ".");
  let filled = 0;
  try {
    for (;;) filled += writeSync(writer, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return filled;
    throw error;
  }
}
