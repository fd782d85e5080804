/**
 * A copy of the tree to break: nobody else reads it, so that the one we work in is never wrong for a moment. Packages are
 * taken from the copy, and everything that npm installed from where it is.
 */
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { type Breakage, broken } from "./breakages.ts";

const root = resolve(import.meta.dirname, "../../..");
/** All that tests read. */
const copied = ["packages", "test", "tools", "docs", "deploy", "crds", "samples", "package.json", "tsconfig.json"];

export class TreeCopy implements AsyncDisposable {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async make(): Promise<TreeCopy> {
    const directory = await mkdtemp(join(tmpdir(), "berg-breakages-"));
    const isOurs = (path: string) => basename(path) !== "node_modules";
    for (const name of [...copied, "vitest.config.ts"]) {
      cpSync(join(root, name), join(directory, name), { recursive: true, filter: isOurs });
    }
    const modules = join(root, "node_modules");
    mkdirSync(join(directory, "node_modules/@berg"), { recursive: true });
    for (const name of readdirSync(modules)) {
      if (name !== "@berg" && !name.startsWith("."))
        symlinkSync(join(modules, name), join(directory, "node_modules", name));
    }
    // npm's links to our packages are relative: the same ones lead into the copy.
    cpSync(join(modules, "@berg"), join(directory, "node_modules/@berg"), { recursive: true, verbatimSymlinks: true });
    return new TreeCopy(directory);
  }

  /** Breaks one file. Returns how to mend it. */
  async break(breakage: Breakage): Promise<() => Promise<void>> {
    const path = join(this.directory, breakage.file);
    const whole = await readFile(path, "utf8");
    await writeFile(path, broken(whole, breakage));
    return () => writeFile(path, whole);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (dirname(this.directory) === tmpdir()) await rm(this.directory, { recursive: true, force: true });
  }
}
