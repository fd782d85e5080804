import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { startKeeper } from "./keeper.ts";
import { isRunning } from "./process-state.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

function sleeper(): number {
  const child = spawn("sleep", ["100"], { stdio: "ignore" });
  started.push(child);
  return child.pid as number;
}

/** A process that keeps a directory and the given processes, and then waits to be killed. */
async function parentThatKeeps(directory: string, added: number[], removed: number[] = []): Promise<ChildProcess> {
  const keeper = JSON.stringify(join(import.meta.dirname, "keeper.ts"));
  const program = `
    import { startKeeper } from ${keeper};
    const keeper = startKeeper(${JSON.stringify(directory)});
    for (const pid of ${JSON.stringify(added)}) await keeper.add(pid);
    for (const pid of ${JSON.stringify(removed)}) keeper.remove(pid);
    setInterval(() => {}, 1000);
    console.log("kept");
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(parent);
  await once(parent.stdout as NodeJS.ReadableStream, "data");
  return parent;
}

test("when its parent is killed, every process it keeps ends and the directory goes", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-keeper-"));
  const pids = [sleeper(), sleeper()];
  const parent = await parentThatKeeps(directory, pids);
  expect(pids.map(isRunning)).toEqual([true, true]);

  parent.kill("SIGKILL");
  await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
  await expect.poll(() => existsSync(directory)).toBe(false);
});

test("a process that was removed is let be: its number may be another's by now", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-keeper-"));
  const [kept, removed] = [sleeper(), sleeper()];
  const parent = await parentThatKeeps(directory, [kept, removed], [removed]);

  parent.kill("SIGKILL");
  await expect.poll(() => isRunning(kept)).toBe(false);
  expect(isRunning(removed)).toBe(true);
});

test("a closed keeper ends itself, and refuses to keep more", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-keeper-"));
  const keeper = startKeeper(directory);
  await keeper.close();
  expect(existsSync(directory)).toBe(false);
  await expect(keeper.add(sleeper())).rejects.toThrow("cannot start another process: its keeper is gone");
});

test("its clean-up runs at the end, before the directory goes", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-keeper-"));
  const moved = `${directory}-moved`;
  await startKeeper(directory, `mv "$1" "${moved}"`).close();
  expect(existsSync(moved)).toBe(true);
  await rm(moved, { recursive: true });
});

test("without a directory nothing is removed", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-keeper-"));
  await startKeeper(undefined).close();
  expect(existsSync(directory)).toBe(true);
  await rm(directory, { recursive: true });
});
