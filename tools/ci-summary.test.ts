import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";

/** Runs the summary over these reports, on a machine that has Go or has not. */
function summarise(reports: (object | undefined)[], { go = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "berg-ci-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (go) symlinkSync("/bin/true", join(folder, "go"));
  const files = reports.map((report, index) => {
    const file = join(folder, `${index}.json`);
    if (report) writeFileSync(file, JSON.stringify(report));
    return file;
  });
  const { stdout, status } = spawnSync(process.execPath, [join(import.meta.dirname, "ci-summary.ts"), ...files], {
    env: { PATH: folder },
    encoding: "utf8",
  });
  return { lastLine: stdout.trimEnd().split("\n").at(-1), status };
}

const report = (passed: number, failed: number, skipped: number, success = failed === 0) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: skipped,
  success,
});

describe("the summary of CI", () => {
  const cases: Record<string, { given: Parameters<typeof summarise>; wantLine: string; wantStatus: number }> = {
    "adds reports up": {
      given: [[report(5, 0, 0), report(2, 0, 0)]],
      wantLine: "7 passed, 0 failed",
      wantStatus: 0,
    },
    "fails with any failed test": {
      given: [[report(5, 0, 0), report(2, 1, 0)]],
      wantLine: "7 passed, 1 failed",
      wantStatus: 1,
    },
    "counts a run that left no report": {
      given: [[report(5, 0, 0), undefined]],
      wantLine: "5 passed, 1 failed",
      wantStatus: 1,
    },
    "counts a file that could not be loaded": {
      given: [[report(5, 0, 0, false)]],
      wantLine: "5 passed, 1 failed",
      wantStatus: 1,
    },
    "allows a skip on a machine without Go": {
      given: [[report(5, 0, 3)]],
      wantLine: "5 passed, 0 failed, 3 skipped",
      wantStatus: 0,
    },
    "counts a skip as failed where Go is there": {
      given: [[report(5, 0, 3)], { go: true }],
      wantLine: "5 passed, 3 failed",
      wantStatus: 1,
    },
    "fails where no test ran at all": { given: [[report(0, 0, 0)]], wantLine: "0 passed, 0 failed", wantStatus: 1 },
  };
  for (const [name, { given, wantLine, wantStatus }] of Object.entries(cases)) {
    test(name, () => expect(summarise(...given)).toEqual({ lastLine: wantLine, status: wantStatus }));
  }
});
