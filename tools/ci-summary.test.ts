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
  return { stdout, lastLine: stdout.trimEnd().split("\n").at(-1), status };
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
    test(name, () => expect(summarise(...given)).toMatchObject({ lastLine: wantLine, status: wantStatus }));
  }

  test("says what failed, and why, at the end", () => {
    const file = (name: string, message: string, ...assertionResults: object[]) => ({
      name: join(process.cwd(), name),
      message,
      assertionResults,
    });
    const testResults = [
      file("fine.test.ts", "", { fullName: "good", status: "passed" }),
      file("bad.test.ts", "", { fullName: "sums", status: "failed", failureMessages: ["expected 1 to be 2\nat bad"] }),
      file("hook.test.ts", "the server did not start", { fullName: "asks", status: "pending" }),
    ];
    expect(summarise([{ ...report(1, 1, 1), testResults }]).stdout).toBe(
      [
        "bad.test.ts",
        "  sums",
        "    expected 1 to be 2",
        "    at bad",
        "hook.test.ts",
        "  1 skipped, the first: asks",
        "    the server did not start",
        "1 passed, 1 failed, 1 skipped",
        "",
      ].join("\n"),
    );
  });
});
