import { spawn } from "node:child_process";

/** The module beside this file: it pins Gateway API and Cilium, and holds cilium-check. */
export const goModule = import.meta.dirname;

/** Runs `go` in our module and gives its stdout. The error says what it complained about, or that there is no go. */
export function runGo(args: readonly string[], signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const go = spawn("go", args, {
      cwd: goModule,
      env: { ...process.env, CGO_ENABLED: "0" },
      stdio: ["ignore", "pipe", "pipe"],
      ...(signal && { signal }),
    });
    let stdout = "";
    let stderr = "";
    go.stdout.setEncoding("utf8").on("data", (chunk) => {
      stdout += chunk;
    });
    go.stderr.setEncoding("utf8").on("data", (chunk) => {
      stderr += chunk;
    });
    go.on("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "ENOENT" ? new Error("there is no go", { cause: error }) : error),
    );
    go.on("close", (code, killedBy) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`go ${args.slice(0, 2).join(" ")} ended with ${code ?? killedBy}: ${stderr.trim()}`));
    });
  });
}
