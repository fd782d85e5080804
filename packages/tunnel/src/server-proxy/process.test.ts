import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { isRunning, startTicksIn, startTimeOf } from "./process.ts";

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
    expect(isRunning(pid, startTime)).toBe(true);
    expect(isRunning(pid, new Date(Date.parse(startTime) - 10_000).toISOString())).toBe(false);
    child.kill();
    await once(child, "exit");
    expect(startTimeOf(pid)).toBe(undefined);
    expect(isRunning(pid, startTime)).toBe(false);
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
