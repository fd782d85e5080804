import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FromCache } from "./ci-cache.ts";
import type { FileReport, Report } from "./ci-report.ts";

/** Runs the summary over these reports, on a machine that has Go or has not. */
function summarise(
  reports: Record<string, Report | undefined>,
  { go = false, args = [] as string[], cached = {} as Record<string, FromCache> } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "berg-ci-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (go) symlinkSync("/bin/true", join(folder, "go"));
  for (const [name, report] of Object.entries(reports)) {
    if (!name.endsWith(".again")) writeFileSync(join(folder, `${name}.suite`), "");
    if (report) writeFileSync(join(folder, `${name}.json`), JSON.stringify(report));
  }
  for (const [suite, counts] of Object.entries(cached))
    writeFileSync(join(folder, `${suite}.cached.json`), JSON.stringify(counts));
  const script = join(import.meta.dirname, "ci-summary.ts");
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, ...args, folder], {
    env: { PATH: folder },
    encoding: "utf8",
  });
  return { stdout, stderr, lastLine: stdout.trimEnd().split("\n").at(-1), status };
}

const file = (
  name: string,
  { passed = 0, failures = [], skipped = [], seconds = 0 }: Partial<FileReport>,
): FileReport => ({ name, passed, failures, skipped, seconds });
const bad = { name: "sums", text: "expected 1 to be 2\n    at bad.test.ts:7" };
const run = (...files: FileReport[]): Report => ({ files, errors: [] });
const fine = file("fine.test.ts", { passed: 5 });
const failing = file("bad.test.ts", { passed: 1, failures: [bad] });
const mended = file("bad.test.ts", { passed: 2 });
const skipping = file("skips.test.ts", { skipped: ["asks", "answers"] });

describe("the summary of CI", () => {
  const cases: Record<string, { given: Parameters<typeof summarise>; wantLine: string; wantStatus: number }> = {
    "adds reports up": {
      given: [{ unit: run(fine), real: run(fine, mended) }],
      wantLine: "12 passed, 0 failed",
      wantStatus: 0,
    },
    "fails with any failed test": {
      given: [{ unit: run(fine), real: run(failing) }],
      wantLine: "6 passed, 1 failed",
      wantStatus: 1,
    },
    "fails with what fails again": {
      given: [{ unit: run(fine, failing), "unit.again": run(failing) }],
      wantLine: "6 passed, 1 failed",
      wantStatus: 1,
    },
    "counts what passed by itself": {
      given: [{ unit: run(fine, failing), "unit.again": run(mended) }],
      wantLine: "7 passed, 0 failed",
      wantStatus: 0,
    },
    "counts what was not run again": {
      given: [{ unit: run(failing, file("worse.test.ts", { failures: [bad] })), "unit.again": run(mended) }],
      wantLine: "2 passed, 1 failed",
      wantStatus: 1,
    },
    "counts a run that left no report": {
      given: [{ unit: run(fine), real: undefined }],
      wantLine: "5 passed, 1 failed",
      wantStatus: 1,
    },
    "counts what was thrown outside of any file": {
      given: [{ unit: { ...run(fine), errors: ["Error: nobody caught me"] } }],
      wantLine: "5 passed, 1 failed",
      wantStatus: 1,
    },
    "allows a skip on a machine without Go": {
      given: [{ unit: run(fine, skipping) }],
      wantLine: "5 passed, 0 failed, 2 skipped",
      wantStatus: 0,
    },
    "counts a skip as failed where Go is there": {
      given: [{ unit: run(fine, skipping) }, { go: true }],
      wantLine: "5 passed, 2 failed",
      wantStatus: 1,
    },
    "fails where no test ran at all": { given: [{ unit: run() }], wantLine: "0 passed, 0 failed", wantStatus: 1 },
  };
  for (const [name, { given, wantLine, wantStatus }] of Object.entries(cases)) {
    test(name, () => expect(summarise(...given)).toMatchObject({ lastLine: wantLine, status: wantStatus, stderr: "" }));
  }

  test("says what failed, what is unsteady, and why, at the end", () => {
    const hook = file("hook.test.ts", { failures: [{ name: "a world", text: "no server" }], skipped: ["asks"] });
    const { stdout } = summarise({ unit: run(fine, failing, hook), "unit.again": run(mended) });
    expect(stdout).toBe(
      [
        "bad.test.ts is unsteady: it passed by itself",
        "  sums",
        "    expected 1 to be 2",
        "        at bad.test.ts:7",
        "hook.test.ts",
        "  a world",
        "    no server",
        "  1 skipped, the first: asks",
        "7 passed, 1 failed, 1 skipped",
        "",
      ].join("\n"),
    );
  });
});

test("what came from the cache is named apart from what ran", () => {
  const cached = { real: { files: 3, tests: 40 }, node: { files: 1, tests: 2 }, whole: { files: 0, tests: 0 } };
  const { stdout, status } = summarise({ unit: run(fine) }, { cached });
  expect(stdout).toBe(
    "42 tests in 4 files were not run: they passed before with the same inputs on this machine (.ci/run --all runs them)\n" +
      "5 passed, 0 failed\n",
  );
  expect(status).toBe(0);
});

test("the cache alone is no success", () => {
  const { lastLine, status } = summarise({ unit: run() }, { cached: { real: { files: 3, tests: 40 } } });
  expect([lastLine, status]).toEqual(["0 passed, 0 failed", 1]);
});

test("the slowest files are listed, of all suites", () => {
  const files = Array.from({ length: 12 }, (_, n) => file(`${n}.test.ts`, { passed: 1, seconds: n }));
  const [line] = summarise({ unit: run(...files.slice(6)), real: run(...files.slice(0, 6)) }).stdout.split("\n");
  expect(line).toBe(`slowest files: ${[11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((n) => `${n}.test.ts ${n} s`).join(", ")}`);
});

describe("what is run again", () => {
  const again = (files: FileReport[], go = true) =>
    summarise({ unit: run(...files) }, { go, args: ["--failed", "unit"] }).stdout;

  test("is each file that failed, or left tests out that could have run", () => {
    expect(again([fine, failing, skipping])).toBe("bad.test.ts\nskips.test.ts");
    expect(again([fine, failing, skipping], false)).toBe("bad.test.ts");
    expect(again([fine])).toBe("");
  });

  test("is nothing where so many failed that it is not the machine", () => {
    const many = Array.from({ length: 7 }, (_, index) => file(`${index}.test.ts`, { failures: [bad] }));
    expect(again(many)).toBe("");
    expect(again(many.slice(1)).split("\n")).toHaveLength(6);
  });
});
