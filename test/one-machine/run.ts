import { spawn } from "node:child_process";

export interface Ended {
  exit: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end, with this on its stdin. */
export function runToEnd(
  binary: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = "",
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { env });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ exit: code ?? -1, stdout, stderr }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
