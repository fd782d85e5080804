/** An older version of Berg beside this one, from the history of this repository, with the dependencies of this one. */
import { execFile, execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readlink, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

export interface OldVersion extends AsyncDisposable {
  readonly directory: string;
  /** Of the command line. */
  readonly main: string;
}

/** Why it cannot be had, such as a clone without history; undefined where it can. */
export function missingVersion(commit: string): string | undefined {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, stdio: "ignore" });
    return undefined;
  } catch {
    return `the history does not have the commit ${commit}`;
  }
}

export async function checkOut(commit: string): Promise<OldVersion> {
  const directory = await mkdtemp(join(tmpdir(), "berg-old-"));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const archive = join(directory, "archive.tar");
    await run("git", ["archive", "--output", archive, commit, "packages", "package.json"], { cwd: root });
    await run("tar", ["-xf", archive, "-C", directory]);
    await linkModules(join(directory, "node_modules"));
  } catch (error) {
    await remove();
    throw error;
  }
  return { directory, main: join(directory, "packages/cli/src/main.ts"), [Symbol.asyncDispose]: remove };
}

/** Our own packages are those of the old version: npm links them by relative paths. */
async function linkModules(target: string): Promise<void> {
  const source = join(root, "node_modules");
  await mkdir(join(target, "@berg"), { recursive: true });
  for (const name of await readdir(source)) {
    if (name !== "@berg") await symlink(join(source, name), join(target, name));
  }
  for (const name of await readdir(join(source, "@berg"))) {
    await symlink(await readlink(join(source, "@berg", name)), join(target, "@berg", name));
  }
}

/**
 * Runs a module's text with the old version's sources, and returns what it prints. `argument` is what it finds as
 * `JSON.parse(process.argv[1])`.
 */
export async function runOld({ directory }: OldVersion, text: string, argument: unknown): Promise<string> {
  const flags = ["--input-type=module", "-e", text, JSON.stringify(argument)];
  return (await run(process.execPath, flags, { cwd: directory })).stdout.trim();
}
