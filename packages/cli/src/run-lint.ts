/** `berg lint`: what is wrong with the Challenges, Competitions and Pages in some files. */
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { formatProblem, type LintSettings, lintPrerequisites } from "@berg/instances";
import { errorText } from "@berg/kube";
import { allowedCapabilities } from "./allowed-capabilities.ts";
import { type Finding, lintText } from "./lint-text.ts";

interface Streams {
  stdin: Readable;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
}

/** The exit code: 0 also with warnings, 1 where an object has errors or there is none, 2 where a file is missing. */
export async function runLint(
  names: string[],
  { stdin, stdout, stderr }: Streams,
  allowCapabilities?: string,
): Promise<0 | 1 | 2> {
  let settings: LintSettings;
  try {
    settings = { capabilities: allowedCapabilities(allowCapabilities) };
  } catch (error) {
    stderr.write(`error: ${errorText(error)}\n`);
    return 2;
  }
  const read = await Promise.allSettled(names.map((name) => (name === "-" ? text(stdin) : readFile(name, "utf8"))));
  const files = read.flatMap((result, index) => {
    const name = names[index] ?? "";
    if (result.status === "fulfilled")
      return [{ name: name === "-" ? "<stdin>" : name, ...lintText(result.value, settings) }];
    stderr.write(`error: cannot read ${name}: ${why(result.reason)}\n`);
    return [];
  });
  if (files.length < names.length) return 2;

  const prerequisites = prerequisiteFindings(files);
  const findings = files.flatMap((file, index) =>
    [...file.findings, ...(prerequisites[index] ?? [])]
      .sort((a, b) => a.line - b.line || a.column - b.column)
      .map((finding) => ({ name: file.name, ...finding })),
  );
  for (const finding of findings) stdout.write(`${describeFinding(finding)}\n`);

  const kinds = files.flatMap((file) => file.kinds);
  const having = (severity: Finding["severity"]) => findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings] = [having("error"), having("warning")];
  stdout.write(`${countKinds(kinds)}: ${count(errors, "error")}, ${count(warnings, "warning")}\n`);
  // Nothing to check is no success: whatever was to write the files may have failed.
  return errors > 0 || kinds.length === 0 ? 1 : 0;
}

/** Those of each file; a prerequisite can be a Challenge of any of them. */
function prerequisiteFindings(files: Pick<ReturnType<typeof lintText>, "challenges">[]): Finding[][] {
  const problems = lintPrerequisites(files.flatMap(({ challenges }) => challenges.map(({ manifest }) => manifest)));
  return files.map(({ challenges }) =>
    challenges.flatMap(({ locate }) =>
      (problems.shift() ?? []).map((problem) => {
        return { severity: problem.severity, problem, ...locate(problem.path) };
      }),
    ),
  );
}

/** `2 Challenges, 1 Page` */
function countKinds(kinds: string[]): string {
  const counts = Map.groupBy(kinds, (kind) => kind);
  if (counts.size === 0) counts.set("Challenge", []);
  return [...counts].map(([kind, { length }]) => count(length, kind)).join(", ");
}

function why(reason: unknown): string {
  const { code, message } = reason as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  return code === "EISDIR" ? "it is a directory" : message;
}

/** As compilers do it, so that editors find the place. */
export function describeFinding({ name, line, column, severity, problem }: Finding & { name: string }): string {
  return `${name}:${line}:${column}: ${severity}: ${formatProblem(problem)}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
