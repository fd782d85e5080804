/**
 * Remembers which test files passed with which inputs on this machine, so that `.ci/run` does not run them again.
 *
 *   node tools/ci-cache.ts plan <suite> <reports> [--all]   prints the test files of the suite that have to run
 *   node tools/ci-cache.ts record <suite> <reports>         records those that passed, from the report of the run
 *
 * The key of a test file is a digest of everything that can change its result: the files that it can read
 * (test-inputs.ts) and the machine (kernel, Debian packages, Node, Go, environment variables). A record holds the number
 * of tests and the time, counts for two weeks, and is a file of its own beside the cached Kubernetes binaries. A record
 * that cannot be read does not count. Only a file is recorded that passed in the first run, with no test skipped, and
 * whose inputs did not change meanwhile.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { arch, homedir, release, version } from "node:os";
import { delimiter, join, relative } from "node:path";
import { parseArgs } from "node:util";
import type { Report } from "./ci-report.ts";
import { TestInputs } from "./test-inputs.ts";

/** Of one suite in one run of CI: how many files and tests were not run because their inputs passed before. */
export interface FromCache {
  files: number;
  tests: number;
}

/** One test file that passed. */
export interface PassedFile {
  file: string;
  tests: number;
  /** Milliseconds since 1970. */
  at: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const root = join(import.meta.dirname, "..");
/** A test that draws random values, or depends on something that no key can hold, runs again after that time. */
const longestAgeMs = 14 * 24 * 3_600_000;
/** All suites have about 250 files; a record takes one block of the disk. */
const mostRecords = 3000;
/** Besides these, every variable whose name starts with one of `prefixes` is part of the key. */
const variables = ["CI", "DATABASE_URL", "KUBEBUILDER_ASSETS", "LANG", "LC_ALL", "NODE_OPTIONS", "TMPDIR", "TZ"];
const prefixes = ["BERG_", "APPLY_", "DOCKER_", "CONTAINER_", "GO", "POD_", "WORKLOAD_"];

/** The files in a directory are records, each named by its key. */
export class PassedFiles {
  readonly #directory: string;
  readonly #now: () => number;

  constructor(directory: string, now: () => number = Date.now) {
    this.#directory = directory;
    this.#now = now;
  }

  find(key: string): PassedFile | undefined {
    try {
      const record: unknown = JSON.parse(readFileSync(this.#pathOf(key), "utf8"));
      return isPassedFile(record) && this.#counts(record) ? record : undefined;
    } catch {
      return undefined;
    }
  }

  /** Written aside and renamed, so that a record is whole or not there. */
  add(key: string, { file, tests }: Omit<PassedFile, "at">): void {
    mkdirSync(this.#directory, { recursive: true });
    const aside = join(this.#directory, `${randomUUID()}.tmp`);
    writeFileSync(aside, JSON.stringify({ file, tests, at: this.#now() } satisfies PassedFile));
    renameSync(aside, this.#pathOf(key));
  }

  /** Removes what does not count any more, files that are no records, and the oldest records over the limit. */
  prune(most: number = mostRecords): void {
    mkdirSync(this.#directory, { recursive: true });
    const names = readdirSync(this.#directory);
    const records = names.map((name) => ({ name, at: this.find(name.replace(/\.json$/, ""))?.at ?? 0 }));
    const kept = new Set(
      records
        .filter(({ name, at }) => at > 0 && name.endsWith(".json"))
        .sort((a, b) => b.at - a.at)
        .slice(0, most)
        .map(({ name }) => name),
    );
    for (const name of names)
      if (!kept.has(name)) rmSync(join(this.#directory, name), { recursive: true, force: true });
  }

  #counts({ at }: PassedFile): boolean {
    const age = this.#now() - at;
    return age >= 0 && age <= longestAgeMs;
  }

  #pathOf(key: string): string {
    return join(this.#directory, `${key}.json`);
  }
}

/** What a result depends on besides the files of the checkout; nothing where the installed software is not known. */
export function machineOf(environment: Environment, packages = installedPackages()): string | undefined {
  if (packages === undefined) return undefined;
  const path = (environment.PATH ?? "").split(delimiter).filter((folder) => !folder.startsWith(root));
  const named = Object.entries(environment).filter(
    ([name]) => variables.includes(name) || (name !== "BERG_CI_REPORT" && prefixes.some((one) => name.startsWith(one))),
  );
  const go = spawnSync("go", ["version"], { encoding: "utf8" }).stdout ?? "";
  const user = process.getuid?.();
  return JSON.stringify([release(), version(), arch(), user, process.version, go, path, named.sort(), packages]);
}

/** All of Debian's, with their versions: containers, databases and the C library come from there. */
function installedPackages(): string | undefined {
  const { status, stdout } = spawnSync("dpkg-query", ["--show"], { encoding: "utf8", maxBuffer: 2 ** 26 });
  return status === 0 ? createHash("sha256").update(stdout).digest("hex") : undefined;
}

/** The key of each test file. `setup` is what the suite runs first. */
export function keysOf(
  checkout: string,
  files: readonly string[],
  setup: readonly string[],
  machine: string,
): Record<string, string> {
  const inputs = new TestInputs(checkout);
  return Object.fromEntries(
    files.map((file) => {
      const digest = inputs.digestOf(inputs.of(file, ...setup));
      return [
        file,
        createHash("sha256")
          .update(JSON.stringify([file, digest, machine]))
          .digest("hex"),
      ];
    }),
  );
}

/** Which of these files have to run, and what the others amount to. */
export function planOf(
  keys: Readonly<Record<string, string>>,
  passed: PassedFiles,
  all = false,
): { run: string[]; cached: FromCache } {
  const known = Object.entries(keys).map(([file, key]) => ({ file, record: all ? undefined : passed.find(key) }));
  const found = known.flatMap(({ record }) => record ?? []);
  return {
    run: known.filter(({ record }) => record === undefined).map(({ file }) => file),
    cached: { files: found.length, tests: found.reduce((sum, { tests }) => sum + tests, 0) },
  };
}

/** Those whose every test passed. What was thrown outside of any file may concern all of them. */
export function passedIn({ files, errors }: Report): Omit<PassedFile, "at">[] {
  if (errors.length > 0) return [];
  return files
    .filter(({ passed, failures, skipped }) => passed > 0 && failures.length === 0 && skipped.length === 0)
    .map(({ name, passed }) => ({ file: name, tests: passed }));
}

function isPassedFile(record: unknown): record is PassedFile {
  const { file, tests, at } = (record ?? {}) as Partial<Record<keyof PassedFile, unknown>>;
  return typeof file === "string" && Number.isInteger(tests) && Number(tests) > 0 && typeof at === "number";
}

interface Suite {
  files: string[];
  setup: string[];
}

/** Vitest itself says which files belong to the suite. */
async function readSuite(suite: string): Promise<Suite> {
  const project = suite.replace(/^test:/, "");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const listed = execFileSync(process.execPath, [vitest, "list", "--filesOnly", "--json", "--project", project], {
    cwd: root,
    encoding: "utf8",
  });
  const files = (JSON.parse(listed) as { file: string }[]).map(({ file }) => relative(root, file));
  const { default: config } = await import("../vitest.config.ts");
  const projects = (config.test?.projects ?? []) as { test: { name: string; globalSetup?: string[] } }[];
  return { files, setup: projects.find(({ test }) => test.name === project)?.test.globalSetup ?? [] };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { all: { type: "boolean" } }, allowPositionals: true });
  const [command, suite, reports] = positionals;
  if (!suite || !reports || (command !== "plan" && command !== "record"))
    throw new Error("usage: node tools/ci-cache.ts plan|record <suite> <reports> [--all]");
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const passed = new PassedFiles(join(cache, "berg", "passed-tests"));
  const { files, setup } = await readSuite(suite);
  const machine = machineOf(process.env);
  const keys = machine === undefined ? undefined : keysOf(root, files, setup, machine);
  const kept = (kind: string) => join(reports, `${suite}.${kind}.json`);
  if (command === "plan") {
    const { run, cached } = keys ? planOf(keys, passed, values.all) : { run: files, cached: { files: 0, tests: 0 } };
    writeFileSync(kept("keys"), JSON.stringify(keys ?? {}));
    writeFileSync(kept("cached"), JSON.stringify(cached));
    process.stdout.write(run.map((file) => `${file}\n`).join(""));
    return;
  }
  const before = JSON.parse(readFileSync(kept("keys"), "utf8")) as Record<string, string>;
  const report = JSON.parse(readFileSync(join(reports, `${suite}.json`), "utf8")) as Report;
  for (const one of passedIn(report)) {
    const key = keys?.[one.file];
    if (key !== undefined && key === before[one.file]) passed.add(key, one);
  }
  passed.prune();
}

if (import.meta.main) await main();
