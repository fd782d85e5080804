/** What an author works on: the one Challenge in a file, what is wrong with it, and where its images come from. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Challenge, readChallenge } from "@berg/resources";
import { allowedCapabilities } from "../allowed-capabilities.ts";
import { Failure } from "../instance/failure.ts";
import { lintText } from "../lint-text.ts";
import { describeFinding } from "../run-lint.ts";
import { type ImageSource, imageSources } from "./sources.ts";

export interface Project {
  /** As somebody typed it. */
  file: string;
  /** Of the file. */
  directory: string;
  text: string;
  challenge: Challenge;
  sources: ImageSource[];
  /** Warnings, a line each. */
  warnings: string[];
}

const problems: Record<string, string> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory; name the YAML file in it",
};

/** Every mistake at once, or the project. */
export async function readProject(file: string, allowCapabilities?: string): Promise<Project> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`cannot read ${file}: ${problems[error.code ?? ""] ?? error.message}`, 2);
  });
  const { challenges, findings } = lintText(text, { capabilities: allowedCapabilities(allowCapabilities) });
  const lines = findings.map((finding) => describeFinding({ ...finding, name: file }));
  if (findings.some(({ severity }) => severity === "error")) {
    throw new Failure(`${file} has mistakes:\n${lines.map((line) => `  ${line}`).join("\n")}`);
  }
  if (challenges.length !== 1) {
    const found = challenges.length === 0 ? "there is no Challenge in it" : `there are ${challenges.length} in it`;
    throw new Failure(`${file} must have one Challenge, and ${found}`);
  }
  const { object: challenge, errors } = readChallenge(challenges[0]?.manifest);
  if (!challenge) throw new Failure(`${file} has mistakes: ${errors.map(({ message }) => message).join("; ")}`);
  const directory = dirname(resolve(file));
  const sources = imageSources(challenge, directory);
  return { file, directory, text, challenge, sources, warnings: lines };
}
