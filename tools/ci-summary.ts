/**
 * Adds up the reports of a directory (`<suite>.json`), and prints one line: "N passed, N failed". Before it stands what
 * failed and why: the runs are long, and of their output often only the end is kept.
 *
 * A file that failed beside others is run once more by itself (`<suite>.again.json`): the machines that check releases
 * are shared, and a stall of seconds is no fault of ours. What passes then is told as unsteady, with what went wrong,
 * so that somebody makes it steady; what fails again has failed. With `--failed <suite>` it prints the files to run again.
 *
 * A file whose inputs passed before on this machine is not run (ci-cache.ts, `<suite>.cached.json`): a line says how many
 * those are, and the last line counts what ran. Another lists the slowest files, for whoever wants to shorten a run.
 *
 * A test that was skipped counts as failed where this machine could have run it. The machines that check releases have
 * Go, and .ci/run installs the rest there; a skip names what it lacks.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { FromCache } from "./ci-cache.ts";
import type { FileReport, Report } from "./ci-report.ts";

const shownLines = 30;
const shownTests = 20;
const shownSlow = 10;
/** More than these, and it is not the machine. */
const mostAgain = 6;

const { values, positionals } = parseArgs({ options: { failed: { type: "string" } }, allowPositionals: true });
const [directory = "."] = positionals;
const canRunAll = spawnSync("go", ["version"]).status === 0;
if (values.failed === undefined) summarise();
else process.stdout.write(filesToRunAgain(values.failed).join("\n"));

function filesToRunAgain(suite: string): string[] {
  const report = read(suite);
  const failed = report?.files.filter(hasFailed) ?? [];
  return failed.length <= mostAgain ? failed.map(({ name }) => name) : [];
}

function summarise(): void {
  const suites = readdirSync(directory).filter((name) => name.endsWith(".suite"));
  const count = { passed: 0, failed: 0, skipped: 0 };
  const ran: FileReport[] = [];
  for (const suite of suites.map((name) => name.replace(/\.suite$/, ""))) {
    const report = read(suite);
    if (!report) {
      say(`no report of ${suite}: that run did not finish`);
      count.failed++;
      continue;
    }
    const again = new Map(read(`${suite}.again`)?.files.map((file) => [file.name, file]));
    for (const text of report.errors) say("outside of any file", ...indented(text));
    count.failed += report.errors.length;
    ran.push(...report.files);
    for (const first of report.files) {
      const file = again.get(first.name) ?? first;
      count.passed += file.passed;
      count.failed += file.failures.length;
      count.skipped += file.skipped.length;
      if (hasFailed(first) && !hasFailed(file)) tellOf(first, " is unsteady: it passed by itself");
      tellOf(file, "");
    }
  }
  tellSlowest(ran);
  tellCached();
  if (count.skipped > 0 && canRunAll) {
    say(`${count.skipped} tests were skipped on a machine that can run them all: they count as failed.`);
    count.failed += count.skipped;
    count.skipped = 0;
  }
  say(`${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ""}`);
  process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;
}

function tellSlowest(files: readonly FileReport[]): void {
  const slow = files.filter(({ seconds }) => seconds > 0).sort((a, b) => b.seconds - a.seconds);
  const listed = slow.slice(0, shownSlow).map(({ name, seconds }) => `${name} ${seconds} s`);
  if (listed.length > 0) say(`slowest files: ${listed.join(", ")}`);
}

function tellCached(): void {
  const suites = readdirSync(directory).filter((name) => name.endsWith(".cached.json"));
  const cached = suites.map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")) as FromCache);
  const sum = (of: keyof FromCache) => cached.reduce((all, one) => all + one[of], 0);
  if (sum("files") === 0) return;
  say(
    `${sum("tests")} tests in ${sum("files")} files were not run: they passed before with the same inputs on this machine` +
      " (.ci/run --all runs them)",
  );
}

function hasFailed({ failures, skipped }: FileReport): boolean {
  return failures.length > 0 || (canRunAll && skipped.length > 0);
}

function read(name: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, `${name}.json`), "utf8")) as Report;
  } catch {
    return undefined;
  }
}

function tellOf({ name, failures, skipped }: FileReport, verdict: string): void {
  if (failures.length === 0 && skipped.length === 0) return;
  say(`${name}${verdict}`);
  for (const failure of failures.slice(0, shownTests)) say(`  ${failure.name}`, ...indented(failure.text));
  if (failures.length > shownTests) say(`  and ${failures.length - shownTests} more`);
  if (skipped.length > 0) say(`  ${skipped.length} skipped, the first: ${skipped[0]}`);
}

function indented(text: string): string[] {
  const lines = text
    .trimEnd()
    .split("\n")
    .filter((line) => !line.includes("/node_modules/"));
  return lines.slice(0, shownLines).map((line) => `    ${line}`);
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
