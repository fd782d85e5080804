/** Runs tests of a copy of the tree, and says which of them failed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Breakage } from "./breakages.ts";
import type { TreeCopy } from "./copy.ts";

/** What Vitest's JSON reporter writes, as far as it is read here. */
interface Report {
  testResults: { assertionResults: { fullName: string; status: string }[] }[];
}

export interface TestRun {
  passed: string[];
  failed: string[];
}

/** A test that takes longer than this catches nothing that anybody would wait for. */
const longestMs = 300_000;

export async function runTest({ directory }: TreeCopy, { file, test }: Breakage["caughtBy"]): Promise<TestRun> {
  const report = join(directory, "report.json");
  const projects = ["--project", "unit", "--project", "whole"];
  const args = ["node_modules/vitest/vitest.mjs", "run", ...projects, file, "-t", pattern(test)];
  const child = spawn(process.execPath, [...args, "--reporter=json", `--outputFile=${report}`], {
    cwd: directory,
    stdio: "ignore",
    timeout: longestMs,
    killSignal: "SIGKILL",
  });
  await once(child, "close");
  const written = await readFile(report, "utf8").catch(() => {
    throw new Error(`${file} did not end within ${longestMs / 1000} s`);
  });
  await rm(report);
  const { testResults } = JSON.parse(written) as Report;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const named = (status: string) => results.filter((one) => one.status === status).map(({ fullName }) => fullName);
  return { passed: named("passed"), failed: named("failed") };
}

/** Vitest takes a pattern; names have brackets and dots. */
function pattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
