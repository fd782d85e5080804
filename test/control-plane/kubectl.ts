import { spawn } from "node:child_process";

export interface KubectlOptions {
  /** What kubectl reads on stdin, for `-f -`. */
  readonly input?: string;
  readonly signal?: AbortSignal;
}

/** Runs kubectl and gives its stdout; what it complained about is the error's text. */
export function runKubectl(
  binary: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { input = "", signal }: KubectlOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { env, ...(signal && { signal }) });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (code, killedBy) => {
      if (code === 0) resolve(stdout);
      // Only the verb: the other arguments may hold a token.
      else reject(new Error(`kubectl ${args[0]} ended with ${code ?? killedBy}: ${stderr.trim()}`));
    });
    // A kubectl that does not read its input may be gone before it is written.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
