/**
 * Finds the files of a checkout that a test file can read, so that CI can tell whether a result still holds.
 *
 * The search starts at the test file and follows every import and every path in the source text, also paths of programs
 * that a test spawns and of files that it reads. It prefers too many files over too few:
 *
 * - A source file stands for its unit: its workspace package, its folder of `test/`, or its top-level folder (`deploy`,
 *   `docs`). All files of the unit count, except test files.
 * - From a package that is reached, all sources are followed, not only those that are imported. Lint makes sure that
 *   these import declared dependencies only, so the result contains the dependency closure of the package.
 * - A path of a directory stands for everything below it, so a test that names the root of the checkout depends on all
 *   files.
 * - `crds/` and the configuration files in the root always count.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Installed packages follow from the lockfile. The others are ignored by git as well. */
const ignored = new Set(["node_modules", ".git", ".berg", "dist", "coverage"]);
/** In the root, these change no result of a test. A test that names one of them depends on it nevertheless. */
const withoutEffect = /(?:\.md|LICENSE|biome\.json|knip\.json)$/;
/** Node reads the manifest of `test/` wherever `@berg/test` is imported. */
const alwaysRead = /^(?:crds\/|tools\/check-node\.js$|test\/package\.json$)/;
const isCode = (path: string) => /\.[cm]?[jt]s$/.test(path);
const isTest = (path: string) => path.endsWith(".test.ts");
const isTestHelper = (path: string) => /\/testing\//.test(path);
/** Text whose paths are followed. */
const isFollowed = (path: string) => isCode(path) || /(?:\.sh|\.ya?ml|\/Dockerfile)$/.test(path);

export class TestInputs {
  readonly #root: string;
  readonly #files: ReadonlySet<string>;
  readonly #folders: ReadonlyMap<string, readonly string[]>;
  readonly #packages: ReadonlyMap<string, Package>;
  readonly #named = new Map<string, readonly string[]>();
  readonly #digests = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
    const files = filesBelow(root, "");
    this.#files = new Set(files);
    this.#folders = byFolder(files);
    this.#packages = new Map(
      files.filter((path) => path.endsWith("/package.json")).map((path) => this.#packageAt(path)),
    );
  }

  /** The paths, relative to the root and sorted, of all files that these test and setup files can read. */
  of(...entries: string[]): string[] {
    const found = new Set([...this.#files].filter((path) => alwaysRead.test(path) || this.#isConfiguration(path)));
    const units = new Set<string>();
    const waiting = [...entries];
    const followed = new Set<string>();
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (followed.has(path)) continue;
      followed.add(path);
      found.add(path);
      const unit = isCode(path) ? unitOf(path) : undefined;
      if (unit !== undefined && !units.has(unit)) {
        units.add(unit);
        const members = this.#below(unit).filter((member) => !isTest(member));
        for (const member of members) found.add(member);
        if (unit.startsWith("packages/")) waiting.push(...members.filter((member) => !isTestHelper(member)));
      }
      if (isFollowed(path)) waiting.push(...this.#pathsNamedIn(path));
    }
    return [...found].sort();
  }

  /** Changes with each byte of these files, with their names and with whether they can be executed. */
  digestOf(paths: readonly string[]): string {
    const hash = createHash("sha256");
    for (const path of paths) hash.update(JSON.stringify([path, this.#digest(path)]));
    return hash.digest("hex");
  }

  #digest(path: string): string {
    const known = this.#digests.get(path);
    if (known !== undefined) return known;
    const full = join(this.#root, path);
    const target = this.#linkTarget(full);
    const content = target === undefined ? readFileSync(full) : `link to ${target}`;
    const mode = target === undefined && statSync(full).mode & 0o111 ? "executable" : "plain";
    const digest = createHash("sha256").update(mode).update(content).digest("hex");
    this.#digests.set(path, digest);
    return digest;
  }

  #linkTarget(full: string): string | undefined {
    try {
      return readlinkSync(full);
    } catch {
      return undefined;
    }
  }

  #isConfiguration(path: string): boolean {
    return !path.includes("/") && !withoutEffect.test(path);
  }

  #packageAt(path: string): [string, Package] {
    const { name = "", exports = {} } = JSON.parse(readFileSync(join(this.#root, path), "utf8")) as Partial<Manifest>;
    return [name, { folder: dirname(path), exports }];
  }

  /** What the text of a file names: packages of ours, files and directories. */
  #pathsNamedIn(path: string): readonly string[] {
    const known = this.#named.get(path);
    if (known) return known;
    const paths = new Set<string>();
    for (const word of wordsOf(path, readFileSync(join(this.#root, path), "utf8"))) {
      for (const named of this.#resolve(path, word)) paths.add(named);
    }
    const result = [...paths];
    this.#named.set(path, result);
    return result;
  }

  #resolve(from: string, word: string): string[] {
    const inPackage = /^(@[\w-]+\/[\w-]+)(?:\/(.+))?$/.exec(word);
    const found = inPackage && this.#packages.get(inPackage[1] ?? "");
    if (found) {
      const entry = found.exports[inPackage[2] ? `./${inPackage[2]}` : "."];
      return [join(found.folder, entry ?? "package.json")];
    }
    // In a package a plain word is most likely no path, and its own folders count anyway.
    const isPath = /[./]/.test(word) || !from.startsWith("packages/");
    const candidates = [...(isPath ? [join(dirname(from), word)] : []), ...(word.includes("/") ? [word] : [])];
    return candidates.map(withoutEnd).flatMap((path) => {
      if (this.#files.has(path)) return [path];
      return this.#below(path).filter((member) => !isTest(member) && !isTestHelper(member));
    });
  }

  /** The files in a folder and its folders; `.` is the root. */
  #below(folder: string): readonly string[] {
    return this.#folders.get(folder) ?? [];
  }
}

interface Package {
  folder: string;
  exports: Record<string, string>;
}

interface Manifest {
  name: string;
  exports: Record<string, string>;
}

/** What a file stands for. Files in the root, in `tools/` and directly in `test/` stand for themselves. */
function unitOf(path: string): string | undefined {
  const parts = path.split("/");
  const [top = ""] = parts;
  const depth = top === "packages" ? (parts[1] === "local" ? 3 : 2) : top === "test" ? 2 : 1;
  return parts.length <= depth || top === "tools" ? undefined : parts.slice(0, depth).join("/");
}

/** Runs of characters that paths consist of. Lines that are comments name no file that is read. */
function wordsOf(path: string, text: string): Set<string> {
  const comment = isCode(path) ? /^\s*(?:\/?\*|\/\/)/ : /^\s*#/;
  const lines = text.split("\n").filter((line) => !comment.test(line));
  return new Set(
    lines.flatMap((line) => {
      // A spread (`...x`), the end of a template (`${here}/x`) and the end of a sentence are no part of a path.
      const trim = (word: string) => word.replace(/^(?:\.{3,}|\/+)/, "").replace(/(?<=\w)\.+$/, "");
      // Dots and slashes alone are a path beside `import.meta.dirname` or `import.meta.url`, and mere text elsewhere.
      const isWord = (word: string) => (line.includes("import.meta.") ? /\w|\.\./ : /\w/).test(word);
      return (line.match(/[\w@.+/-]+/g) ?? []).map(trim).filter(isWord);
    }),
  );
}

function withoutEnd(path: string): string {
  return path.replace(/(?<=.)\/+$/, "");
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (ignored.has(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(root, path);
    return (entry.isFile() || entry.isSymbolicLink()) && !entry.name.endsWith(".log") ? [path] : [];
  });
}

function byFolder(files: readonly string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const path of files) {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      folders.set(folder, [...(folders.get(folder) ?? []), path]);
      if (folder === ".") break;
    }
  }
  return folders;
}
