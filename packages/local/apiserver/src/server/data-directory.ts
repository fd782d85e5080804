/** Where everything is kept, made where it is not there. */
import { access, constants, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigurationError } from "@berg/kube";

const problems: Record<string, string> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "nothing can be written there",
  ENOSPC: "the disk is full",
};

export async function makeDataDirectory(path: string): Promise<void> {
  try {
    await make(path);
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    const why = problems[code] ?? "it is no directory, and none can be made there";
    throw new ConfigurationError(`cannot keep data in ${path}: ${why} (${code}); choose another directory`);
  }
}

/** Step by step: Node's own way never returns where a file system makes none, as /proc does not. */
async function make(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) await make(parent);
  await mkdir(path, { mode: 0o700 }).catch(async (error) => {
    // Somebody else was quicker.
    if (!(await isDirectory(path))) throw error;
  });
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
