/** How one container gets its flag: the path and the mode of the file. */
import { quoted } from "@berg/apimachinery";
import { type ChallengeContainer, type FieldPath, type FileMode, fileModeBits } from "@berg/resources";
import { flagPathProblem } from "../flags/flag-path.ts";
import { error, type Problem, warning } from "./problem.ts";

export function containerFlagProblems({ dynamicFlag }: ChallengeContainer, at: FieldPath): Problem[] {
  const path = [...at, "dynamicFlag"];
  const { content, executable } = dynamicFlag ?? {};
  return [
    ...(content ? [...pathProblems(content.path, [...path, "content"]), ...contentMode(content.mode, path)] : []),
    ...(executable
      ? [...pathProblems(executable.path, [...path, "executable"]), ...executableMode(executable.mode, path)]
      : []),
  ];
}

function pathProblems(path: string, at: FieldPath): Problem[] {
  const problem = flagPathProblem(path);
  if (problem !== undefined) return [error([...at, "path"], `cannot put the flag at ${quoted(path)}: ${problem}`)];
  // Container runtimes mount nothing into what the kernel keeps there.
  if (/^\/(proc|sys)\//.test(path))
    return [
      error(
        [...at, "path"],
        `cannot put the flag at ${quoted(path)}: nothing can be put there`,
        "choose another directory",
      ),
    ];
  return [];
}

function contentMode(mode: FileMode | undefined, at: FieldPath): Problem[] {
  if (mode === undefined) return [];
  const path = [...at, "content", "mode"];
  const decimal = decimalProblem(mode, path);
  if (decimal.length > 0 || (fileModeBits(mode) & 0o444) !== 0) return decimal;
  return [warning(path, `with mode ${octal(mode)} nobody but root can read the flag`, 'write one such as "0444"')];
}

function executableMode(mode: FileMode | undefined, at: FieldPath): Problem[] {
  if (mode === undefined) return [];
  const path = [...at, "executable", "mode"];
  const bits = fileModeBits(mode);
  const problems = decimalProblem(mode, path);
  if ((bits & 0o111) === 0)
    return [...problems, error(path, `with mode ${octal(mode)} nobody can run the file`, 'write one such as "0111"')];
  if ((bits & 0o444) === 0) return problems;
  const message = `with mode ${octal(mode)} the flag can be read out of the file without running it`;
  return [...problems, warning(path, message, 'write one such as "0111"')];
}

/** `mode: 444` is decimal in YAML: 0674. Some decimal numbers are meant so, such as 365 for 0555. */
function decimalProblem(mode: FileMode, path: FieldPath): Problem[] {
  if (typeof mode === "string" || !/^[0-7]{3}$/.test(String(mode))) return [];
  if (isUsual(mode) || !isUsual(Number.parseInt(String(mode), 8))) return [];
  const message = `${mode} is a decimal number and means mode ${octal(mode)}`;
  return [warning(path, message, `write "0${mode}" in quotes if that is what is meant`)];
}

/** Whether group and others may do what the owner may, or a part of it that somebody would choose. */
function isUsual(bits: number): boolean {
  const [owner, group, others] = [bits >> 6, (bits >> 3) & 7, bits & 7];
  const chosen = [0, 1, 4, 5, 7].map((part) => owner & part);
  return chosen.includes(group) && chosen.includes(others);
}

function octal(mode: FileMode): string {
  return `0${fileModeBits(mode).toString(8).padStart(3, "0")}`;
}
