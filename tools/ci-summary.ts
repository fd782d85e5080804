/**
 * Adds up the test reports that are named on the command line, and prints one line: "N passed, N failed".
 *
 * A test that was skipped counts as failed where this machine could have run it. The machines that check releases have
 * Go, and .ci/run installs the rest there; a skip names what it lacks.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  success: boolean;
}

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
  // A file that cannot be loaded has no tests to count.
  if (!report.success && report.numFailedTests === 0) failed++;
}

if (skipped > 0 && spawnSync("go", ["version"]).status === 0) {
  process.stdout.write(
    `${skipped} tests were skipped on a machine that can run them all: they count as failed. Each says above what it lacks\n`,
  );
  failed += skipped;
  skipped = 0;
}
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
