import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Real files in a directory that goes when the test has ended: `await makeFiles({ "a/kubeconfig": "…" })`. */
export async function makeFiles(files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "berg-config-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text, { mode: 0o600 });
  }
  return directory;
}
