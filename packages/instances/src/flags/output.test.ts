import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, rmSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Architecture } from "./executable.ts";
import { brokenPipe, FullPipe, isAsleep } from "./testing/full-pipe.ts";
import { emulatorOf, install, openDirectory, run } from "./testing/programs.ts";

const flag = "🚩".repeat(1024);
const output = `${flag}\n`;

const architectures: Architecture[] = ["x86-64", "aarch64"];

describe.for(architectures)("a program for %s", (architecture) => {
  const emulator = emulatorOf(architecture);
  beforeEach(({ skip }) => skip(emulator === undefined, "this processor has no emulator here: install qemu-user"));

  let directory: string;
  let command: string[];
  beforeAll(() => {
    directory = openDirectory();
    command = [...(emulator ?? []), install(directory, flag, architecture)];
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  // By way of a shell, as Node makes the standard output that it hands over a blocking one.
  const throughShell = (script: string) => ["sh", "-c", script, "sh", ...command];

  test.for([
    { reader: "is slow", blocking: true },
    { reader: "is slow, and writes do not block", blocking: false },
  ])("waits without using the processor, and loses nothing, when its reader $reader", async ({ blocking }) => {
    using pipe = new FullPipe(directory, { blocking });
    const [shell = "", ...args] = throughShell('exec "$@" >&3 3>&-');
    const child = spawn(shell, args, { stdio: ["ignore", "ignore", "inherit", pipe.writer] });
    const exit = once(child, "exit");
    try {
      const asleep = () =>
        vi.waitFor(() => expect(isAsleep(child.pid ?? 0)).toBe(true), { timeout: 60_000, interval: 5 });
      await asleep();
      // Room for one page: the program writes a part of its text, and waits again.
      let received = pipe.read(4096);
      await asleep();
      expect(child.exitCode).toBeNull();
      received = Buffer.concat([received, pipe.read(pipe.filling)]);
      expect(await exit).toEqual([0, null]);
      received = Buffer.concat([received, pipe.read(pipe.filling)]);
      expect(received.subarray(pipe.filling).toString()).toBe(output);
    } finally {
      child.kill("SIGKILL");
    }
  });

  test("ends with 1 when standard output is closed", () => {
    const { status, stderr } = run(throughShell('exec "$@" >&-'));
    expect([status, stderr.toString()]).toEqual([1, ""]);
  });

  test("ends with 1 when the disk is full", () => {
    const full = openSync("/dev/full", "w");
    const { status } = run(command, { stdio: ["ignore", full, "ignore"] });
    closeSync(full);
    expect(status).toBe(1);
  });

  test("ends by SIGPIPE when nobody reads, as programs do, and with 1 where that is ignored", () => {
    const pipe = brokenPipe(directory);
    const stdio = ["ignore", pipe, "ignore"];
    const byDefault = run(command, { stdio });
    const ignoring = run(throughShell('trap "" PIPE; exec "$@"'), { stdio });
    closeSync(pipe);
    expect([byDefault.status, byDefault.signal]).toEqual([null, "SIGPIPE"]);
    expect([ignoring.status, ignoring.signal]).toEqual([1, null]);
  });
});
