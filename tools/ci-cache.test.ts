import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { keysOf, machineOf, PassedFiles, passedIn, planOf } from "./ci-cache.ts";
import type { FileReport } from "./ci-report.ts";

const day = 24 * 3_600_000;
const record = { file: "a.real.test.ts", tests: 7 };

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "berg-passed-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe("the records of test files that passed", () => {
  test("are found by their key, by another process too", () => {
    const directory = join(folder(), "not", "there", "yet");
    new PassedFiles(directory, () => 5).add("key", record);
    expect(new PassedFiles(directory, () => 6).find("key")).toEqual({ ...record, at: 5 });
    expect(new PassedFiles(directory, () => 6).find("other")).toBeUndefined();
  });

  test("are none where the directory is missing or is no directory", () => {
    const directory = folder();
    writeFileSync(join(directory, "file"), "");
    for (const name of ["missing", "file"]) expect(new PassedFiles(join(directory, name)).find("key")).toBeUndefined();
  });

  for (const content of ["", "{", "null", "[]", '"text"', '{"file":"a","tests":0,"at":1}', '{"file":"a","tests":1}'])
    test(`do not count with the content ${JSON.stringify(content)}`, () => {
      const directory = folder();
      writeFileSync(join(directory, "key.json"), content);
      expect(new PassedFiles(directory, () => 2).find("key")).toBeUndefined();
    });

  test("count for two weeks, and not from the future", () => {
    const directory = folder();
    let now = 20 * day;
    const passed = new PassedFiles(directory, () => now);
    passed.add("key", record);
    for (const [at, counts] of [
      [34, true],
      [34.01, false],
      [19.99, false],
    ] as const) {
      now = at * day;
      expect([at, passed.find("key") !== undefined]).toEqual([at, counts]);
    }
  });

  test("are written whole or not at all", () => {
    const directory = folder();
    // A directory in the place of the record: the rename fails after the content was written.
    mkdirSync(join(directory, "key.json"));
    expect(() => new PassedFiles(directory).add("key", record)).toThrow();
    expect(new PassedFiles(directory).find("key")).toBeUndefined();
    new PassedFiles(directory).prune();
    expect(readdirSync(directory)).toEqual([]);
  });

  test("are kept up to a number, the newest of them, and nothing else is kept beside them", () => {
    const directory = folder();
    let now = day;
    const passed = new PassedFiles(directory, () => now++);
    for (const key of ["a", "b", "c", "d"]) passed.add(key, record);
    writeFileSync(join(directory, "left.tmp"), "{");
    writeFileSync(join(directory, "broken.json"), "{");
    passed.prune(2);
    expect(readdirSync(directory).sort()).toEqual(["c.json", "d.json"]);
    now += 15 * day;
    passed.prune(2);
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("the plan of a suite", () => {
  const keys = { "a.real.test.ts": "ka", "b.real.test.ts": "kb", "c.real.test.ts": "kc" };
  const recorded = () => {
    const passed = new PassedFiles(folder());
    passed.add("ka", record);
    passed.add("kc", { file: "c.real.test.ts", tests: 3 });
    return passed;
  };

  test("leaves out what passed with the same key", () =>
    expect(planOf(keys, recorded())).toEqual({ run: ["b.real.test.ts"], cached: { files: 2, tests: 10 } }));

  test("has all files where all are asked for", () =>
    expect(planOf(keys, recorded(), true)).toEqual({ run: Object.keys(keys), cached: { files: 0, tests: 0 } }));
});

test("the key changes with the machine, the setup of the suite, the file and its inputs", () => {
  const root = folder();
  const write = (path: string, content: string) => {
    mkdirSync(join(root, "test/x"), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  write("test/x/a.real.test.ts", 'import "./b.ts";');
  write("test/x/c.real.test.ts", 'import "./b.ts";');
  write("test/x/b.ts", "");
  write("setup.sh", "");
  const file = "test/x/a.real.test.ts";
  const key = (machine = "m", setup: string[] = []) => keysOf(root, [file], setup, machine)[file];
  const keys = [key(), key("other"), keysOf(root, ["test/x/c.real.test.ts"], [], "m")["test/x/c.real.test.ts"]];
  write("test/x/b.ts", "changed");
  keys.push(key());
  expect(new Set(keys).size).toBe(4);
  expect(key()).toBe(key());
});

describe("the machine", () => {
  const machine = (environment: Record<string, string>, packages?: string) => machineOf(environment, packages ?? "p 1");

  test("is another one with another package, or a variable that tests read", () => {
    const all = [machine({}), machine({}, "p 2"), machine({ BERG_FAULTS: "all" }), machine({ PATH: "/opt/bin" })];
    expect(new Set(all).size).toBe(all.length);
  });

  test("is the same whatever else is set, and wherever the checkout is", () => {
    const inCheckout = join(import.meta.dirname, "../node_modules/.bin");
    expect(machine({ BERG_CI_REPORT: "/tmp/x", SHLVL: "2", PATH: `${inCheckout}:/bin` })).toBe(
      machine({ SHLVL: "1", PATH: "/bin" }),
    );
  });
});

test("only a file is recorded whose every test passed, in a run without an error of its own", () => {
  const file = (name: string, changes: Partial<FileReport>): FileReport => ({
    ...{ name, passed: 2, failures: [], skipped: [], seconds: 1 },
    ...changes,
  });
  const files = [
    file("fine.test.ts", {}),
    file("bad.test.ts", { failures: [{ name: "sums", text: "no" }] }),
    file("skips.test.ts", { skipped: ["asks"] }),
    file("empty.test.ts", { passed: 0 }),
  ];
  expect(passedIn({ files, errors: [] })).toEqual([{ file: "fine.test.ts", tests: 2 }]);
  expect(passedIn({ files, errors: ["Error: thrown outside of any file"] })).toEqual([]);
});
