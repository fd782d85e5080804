import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { isRunning, startOf, startTicksIn, startTimeOf } from "./process.ts";

const shift = vi.hoisted(() => ({ seconds: 0 }));
vi.mock("node:fs", async (importOriginal) => {
  const real = await importOriginal<typeof import("node:fs")>();
  const readFileSync = (...args: Parameters<typeof real.readFileSync>) =>
    String(real.readFileSync(...args)).replace(/^btime (\d+)$/m, (_, at) => `btime ${Number(at) + shift.seconds}`);
  return { ...real, readFileSync };
});

test("a process stays the same when the time of day is set", async ({ onTestFinished }) => {
  const started = startOf(process.pid) ?? "";
  const times = [startTimeOf(process.pid)];
  // What the kernel says of its boot moves with the clock.
  shift.seconds = 3_600;
  onTestFinished(() => {
    shift.seconds = 0;
  });
  times.push(startTimeOf(process.pid));
  expect(Date.parse(times[1] ?? "") - Date.parse(times[0] ?? "")).toBe(3_600_000);
  expect(isRunning({ pid: process.pid, started })).toBe(true);
});

describe("the start time of a process", () => {
  test("is near now for one that starts now, and the same whenever it is asked", async () => {
    const before = Date.now();
    const child = spawn("sleep", ["60"]);
    await once(child, "spawn");
    const { pid = 0 } = child;
    const startTime = startTimeOf(pid) ?? "";
    // Kernels count in hundredths, and round the time of their boot.
    expect(Math.abs(Date.parse(startTime) - before)).toBeLessThan(60_000);
    expect(startTimeOf(pid)).toBe(startTime);
    const started = startOf(pid) ?? "";
    expect(isRunning({ pid, started })).toBe(true);
    const [boot, ticks] = started.split("/");
    expect(boot).toBe(readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
    expect(isRunning({ pid, started: `${boot}/${Number(ticks) + 1}` })).toBe(false);
    expect(isRunning({ pid, started: `another-boot/${ticks}` })).toBe(false);
    child.kill();
    await once(child, "exit");
    expect(startTimeOf(pid)).toBe(undefined);
    expect(isRunning({ pid, started })).toBe(false);
  });

  const rest = "1 4061 4061 0 -1 4194304 1 0 0 0 2 1 0 0 20 0 1 0 77";
  test.each([
    { stat: `4061 (sleep) S ${rest} 1024 0`, want: 77 },
    { stat: `4061 (a) S (b) 9) S ${rest} 1024 0`, want: 77 },
    { stat: `4061 (sleep) Z ${rest} 1024 0`, want: undefined },
    { stat: "", want: undefined },
  ])("is read from $stat as $want ticks", ({ stat, want }) => {
    expect(startTicksIn(stat)).toBe(want);
  });
});
