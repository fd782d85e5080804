/** Several real processes on the same records at once. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { RuntimeRecords } from "../runtime-records.ts";
import { lifeNumber } from "./place.ts";

const script = fileURLToPath(new URL("./process.ts", import.meta.url));
const lives = 20;

/** Checks that nothing of what any of them noted is lost, and that each life was stopped by one. */
export async function shareRecords(
  database: string,
  count: number,
  open: () => Promise<RuntimeRecords>,
): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `process-${index}`);
  const killed = start(database, "killed", 100_000);
  const others = names.map((name) => start(database, name, lives));
  const printed = Promise.all(others.map(lastLine));
  const noted = Promise.all(others.map((other) => said(other, "noted")));
  await said(killed, "open");
  killed.kill("SIGKILL");
  await noted;
  // What is noted after it was stopped is open again.
  for (const { stdin } of others) stdin?.write("stop\n");
  const won = (await printed).flatMap((line) => JSON.parse(line) as number[]);
  const toStop = Array.from({ length: lives }, (_, index) => lives + index + 1);
  expect(won.filter((number) => toStop.includes(number)).sort((a, b) => a - b)).toEqual(toStop);

  await using records = await open();
  for (let number = 1; number <= lives; number++) {
    const { pods } = (await records.get(lifeNumber(number).uid)) ?? {};
    const { killed: _killed, ...rest } = pods ?? {};
    const want = names.map((name) => [name, { uid: `pod-of-${name}`, restarts: number, replaced: 0 }]);
    expect(rest).toEqual(Object.fromEntries(want));
  }
}

function start(database: string, name: string, count: number): ChildProcess {
  return spawn(process.execPath, [script, name, String(count)], {
    env: { ...process.env, DATABASE_URL: database, NODE_NO_WARNINGS: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

function said(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let out = "";
    child.stdout?.on("data", (chunk) => {
      out += chunk;
      if (out.includes(word)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`it ended with ${code} before it said "${word}"`)));
  });
}

function lastLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = "";
    let errors = "";
    child.stdout?.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("close", (code) => {
      const line = out.trim().split("\n").at(-1);
      if (code === 0 && line) resolve(line);
      else reject(new Error(`it ended with ${code}: ${errors}`));
    });
  });
}
