import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock as clock, sleep } from "@berg/kube";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { takeLock, takeLockNow } from "./lock.ts";

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-lock-"));
  file = join(directory, "tunnel/image.lock");
});
afterEach(() => rm(directory, { recursive: true }));

const { signal } = new AbortController();

test("one has it at a time, and all get it", async () => {
  let now = 0;
  let most = 0;
  const turn = async () => {
    await using _lock = await takeLock(file, { clock, signal });
    most = Math.max(most, ++now);
    await sleep(clock, 5);
    now--;
  };
  await Promise.all(Array.from({ length: 5 }, turn));
  expect({ most, now }).toEqual({ most: 1, now: 0 });
});

test("whoever waits says so once, and can stop waiting", async () => {
  await using _lock = await takeLock(file, { clock, signal });
  const stop = new AbortController();
  let waits = 0;
  const waiting = takeLock(file, { clock, signal: stop.signal, onWait: () => waits++ });
  await expect.poll(() => waits).toBe(1);
  await sleep(clock, 350);
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  expect(waits).toBe(1);
});

test("a process that is killed has it no longer", async () => {
  const script = `
    import { systemClock } from "@berg/kube";
    import { takeLock } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    await takeLock(process.argv[1], { clock: systemClock, signal: new AbortController().signal });
    console.log("mine");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script, file], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: import.meta.dirname,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  let waits = 0;
  const waiting = takeLock(file, { clock, signal, onWait: () => waits++ });
  await expect.poll(() => waits).toBe(1);
  child.kill("SIGKILL");
  await using _lock = await waiting;
});

test("a file that is something else is told, with what to do", async () => {
  file = join(directory, "image.lock");
  await writeFile(file, "not a lock, but long enough to be taken for what it is not".repeat(50));
  await expect(takeLock(file, { clock, signal })).rejects.toThrow(new RegExp(`^cannot lock ${file}: .*; remove it$`));
});

test("a lock that is wanted now or never is there, or taken, and free after it is given back", async () => {
  const first = await takeLockNow(file);
  expect(first).toBeDefined();
  expect(await takeLockNow(file)).toBeUndefined();
  first?.[Symbol.dispose]();
  using second = await takeLockNow(file);
  expect(second).toBeDefined();
});
