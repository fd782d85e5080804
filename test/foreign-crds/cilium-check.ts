/** Asks Cilium's own code about a policy, which checks more than the CRD can: see cilium-check/main.go. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { goModule, runGo } from "./go.ts";

export interface CiliumVerdict {
  /** What Cilium does not like. It takes the policy where this is missing. */
  readonly problem?: string;
  /** What Cilium understood. */
  readonly rules?: readonly Record<string, unknown>[];
}

/** One verdict a policy, in their order. */
export async function ciliumVerdicts(policies: readonly object[], signal?: AbortSignal): Promise<CiliumVerdict[]> {
  const program = await provideCiliumCheck(signal);
  return new Promise((resolve, reject) => {
    const check = spawn(program, { stdio: ["pipe", "pipe", "inherit"], ...(signal && { signal }) });
    let answers = "";
    check.stdout.setEncoding("utf8").on("data", (chunk) => {
      answers += chunk;
    });
    check.on("error", reject);
    check.on("close", (code, killedBy) => {
      const verdicts = answers.split("\n").filter((line) => line !== "");
      if (code === 0 && verdicts.length === policies.length) resolve(verdicts.map((line) => JSON.parse(line)));
      else
        reject(new Error(`cilium-check ended with ${code ?? killedBy} after ${verdicts.length} of ${policies.length}`));
    });
    check.stdin.on("error", () => {});
    check.stdin.end(policies.map((policy) => JSON.stringify(policy)).join("\n"));
  });
}

/** The program, built first where it is not yet; about a minute on 2 cores, once for what it is built from. */
async function provideCiliumCheck(signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for (const file of ["go.mod", "go.sum", "cilium-check/main.go"]) hash.update(await readFile(join(goModule, file)));
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "berg", "cilium-check");
  const program = join(cache, hash.digest("hex").slice(0, 16), "cilium-check");
  if (!existsSync(program)) await build(program, signal);
  return program;
}

/** Renamed into place when it is whole, so that an interrupted build is not taken for a finished one. */
async function build(program: string, signal?: AbortSignal): Promise<void> {
  await mkdir(dirname(program), { recursive: true });
  const directory = await mkdtemp(`${program}-`);
  try {
    const made = join(directory, "cilium-check");
    const flags = ["-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags=-s -w"];
    await runGo(["build", ...flags, "-o", made, "./cilium-check"], signal);
    await rename(made, program);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
