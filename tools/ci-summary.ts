/**
 * Adds up the test reports that are named on the command line, and prints one line: "N passed, N failed". Before it
 * stands what failed and why: the runs are long, and of their output often only the end is kept.
 *
 * A test that was skipped counts as failed where this machine could have run it. The machines that check releases have
 * Go, and .ci/run installs the rest there; a skip names what it lacks.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { relative } from "node:path";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  success: boolean;
  testResults?: FileReport[];
}

interface FileReport {
  /** The path of the file. */
  name: string;
  /** Why the file as a whole failed, a hook for example. */
  message: string;
  assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
}

const shownLines = 30;
const shownTests = 20;

let passed = 0;
let failed = 0;
let skipped = 0;
for (const file of process.argv.slice(2)) {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    process.stdout.write(`no report ${file}: that run did not finish\n`);
    failed++;
    continue;
  }
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped += report.numPendingTests;
  for (const result of report.testResults ?? []) tellOf(result);
  // A file that cannot be loaded has no tests to count.
  if (!report.success && report.numFailedTests === 0) failed++;
}

if (skipped > 0 && spawnSync("go", ["version"]).status === 0) {
  process.stdout.write(`${skipped} tests were skipped on a machine that can run them all: they count as failed.\n`);
  failed += skipped;
  skipped = 0;
}
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function tellOf({ name, message, assertionResults }: FileReport): void {
  const lines: string[] = [];
  const failures = assertionResults.filter((test) => test.status === "failed");
  for (const { fullName, failureMessages = [] } of failures.slice(0, shownTests))
    lines.push(`  ${fullName}`, ...indented(failureMessages.join("\n")));
  if (failures.length > shownTests) lines.push(`  and ${failures.length - shownTests} more`);
  const skips = assertionResults.filter((test) => test.status !== "failed" && test.status !== "passed");
  if (skips.length > 0) lines.push(`  ${skips.length} skipped, the first: ${skips[0]?.fullName}`);
  if (message && failures.length === 0) lines.push(...indented(message));
  if (lines.length > 0) process.stdout.write(`${relative(process.cwd(), name)}\n${lines.join("\n")}\n`);
}

function indented(text: string): string[] {
  const lines = text
    .trimEnd()
    .split("\n")
    .filter((line) => !line.includes("/node_modules/"));
  return lines.slice(0, shownLines).map((line) => `    ${line}`);
}
