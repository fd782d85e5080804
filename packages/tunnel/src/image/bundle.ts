/** A program and everything that it imports, as one CommonJS file: a single executable of Node runs nothing else. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** What the image's builder runs the program with. It shows that every library is there, and that Node starts. */
export const checkFlag = "--check";

// Before all else, so that the check depends on nothing that the program does.
const check = `if (process.argv[2] === ${JSON.stringify(checkFlag)}) process.exit(0);`;

const bundler = fileURLToPath(new URL("./bundler.ts", import.meta.url));
const largest = 64 * 1024 * 1024;
const run = promisify(execFile);

/** `bundle("/…/client-proxy/main.ts")` gives the text of the file. The same sources give the same text. */
export async function bundle(entry: string, signal?: AbortSignal): Promise<string> {
  try {
    // Options of ours, such as a debugger's, are not meant for it.
    const env = { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1" };
    const options = { env, maxBuffer: largest, ...(signal && { signal }) };
    const { stdout } = await run(process.execPath, [bundler, entry, check], options);
    return stdout;
  } catch (error) {
    signal?.throwIfAborted();
    const said = error instanceof Error && "stderr" in error && String(error.stderr).trim();
    throw new Error(`cannot bundle ${entry}: ${said || (error instanceof Error ? error.message : error)}`, {
      cause: error,
    });
  }
}
