/**
 * A reporter for Vitest: what CI has to know of a run, as JSON in the file that BERG_CI_REPORT names. Vitest's own JSON
 * leaves out what a hook of a `describe` threw, which is then a file of skipped tests and no reason.
 */
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

export interface Report {
  files: FileReport[];
  /** What was thrown outside of any file. */
  errors: string[];
}

export interface FileReport {
  /** Its path. */
  name: string;
  passed: number;
  /** Tests, and hooks or the file itself. */
  failures: { name: string; text: string }[];
  /** Names of tests. */
  skipped: string[];
  /** How long its tests and hooks took. */
  seconds: number;
}

export default class CiReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env.BERG_CI_REPORT;
    if (file) writeFileSync(file, JSON.stringify(reportOf(modules, errors)));
  }
}

/** What was thrown while a file ran is that file's. */
function reportOf(modules: readonly TestModule[], errors: readonly Thrown[]): Report {
  const pathOf = ({ VITEST_TEST_PATH: path }: Thrown) => path && relative(process.cwd(), path);
  const files = modules.map(fileReport);
  for (const { name, failures } of files) {
    const own = errors.filter((error) => pathOf(error) === name);
    failures.push(...own.map((error) => ({ name: "outside of any test", text: textOf(error) })));
  }
  const others = errors.filter((error) => !files.some(({ name }) => name === pathOf(error)));
  return { files, errors: others.map(textOf) };
}

function fileReport(module: TestModule): FileReport {
  const tests = [...module.children.allTests()];
  const states = tests.map((test) => ({ test, result: test.result() }));
  const hooks = [...module.children.allSuites()].map((suite) => ({ name: suite.fullName, errors: suite.errors() }));
  return {
    name: relative(process.cwd(), module.moduleId),
    passed: states.filter(({ result }) => result.state === "passed").length,
    failures: [
      ...[{ name: "the file itself", errors: module.errors() }, ...hooks].flatMap(({ name, errors }) =>
        errors.length > 0 ? [{ name, text: errors.map(textOf).join("\n") }] : [],
      ),
      ...states.flatMap(({ test, result }) =>
        result.state === "failed" ? [{ name: test.fullName, text: result.errors.map(textOf).join("\n") }] : [],
      ),
    ],
    skipped: states.flatMap(({ test, result }) =>
      result.state === "skipped" || result.state === "pending" ? [test.fullName] : [],
    ),
    seconds: Math.round(module.diagnostic().duration / 1000),
  };
}

function textOf({ message, diff, stack = "", stacks = [] }: Thrown): string {
  const places = stacks.map(({ file, line }) => `    at ${relative(process.cwd(), file)}:${line}`);
  const lines = places.length > 0 ? [message, ...(diff ? [diff] : []), ...places] : [stack || message];
  return stripVTControlCharacters(lines.join("\n"));
}

type Thrown = SerializedError & { diff?: string; stacks?: readonly Place[]; VITEST_TEST_PATH?: string };

interface Place {
  file: string;
  line: number;
}
