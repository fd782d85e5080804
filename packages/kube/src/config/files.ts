import { readFile } from "node:fs/promises";
import { ConfigurationError } from "./configuration-error.ts";

const problems: Record<string, string> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is not a directory",
  EISDIR: "it is a directory",
  EACCES: "this process is not permitted to read it",
  EPERM: "this process is not permitted to read it",
};

/** `readText("/etc/berg/kubeconfig", "kubeconfig")`; `what` says in an error what the file was wanted for. */
export async function readText(path: string, what: string, signal?: AbortSignal): Promise<string> {
  try {
    return await readFile(path, { encoding: "utf8", signal });
  } catch (cause) {
    signal?.throwIfAborted();
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigurationError(`cannot read ${path} (${what}): ${problems[code] ?? code}`, { cause });
  }
}

/** The file was not there, as opposed to there and not readable. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof ConfigurationError && (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
}
