import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Runs a command and gives its stdout; what it complained about is the error's text. */
export async function run(command: readonly string[], signal?: AbortSignal): Promise<string> {
  const [file = "", ...args] = command;
  try {
    const { stdout } = await execute(file, args, { maxBuffer: 64 * 1024 * 1024, ...(signal && { signal }) });
    return stdout;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
