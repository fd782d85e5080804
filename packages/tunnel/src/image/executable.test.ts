import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkFlag } from "./bundle.ts";
import { makeExecutable, readProgram } from "./executable.ts";

// Other programs are started, and 100 MB copied, on a machine that may have much else to do.
vi.setConfig({ testTimeout: 180_000 });

const entry = fileURLToPath(new URL("./testing/stand-in.ts", import.meta.url));
let parent: string;
let directory: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "berg-executable-"));
  directory = join(parent, "not/yet/there");
});
afterEach(() => rm(parent, { recursive: true }));

test("one file runs the program with nothing beside it", async () => {
  await using executable = await makeExecutable(await readProgram(entry), directory);
  const options = { encoding: "utf8", cwd: "/", env: {} } as const;
  const said = JSON.parse(execFileSync(executable.path, ["one", "--end"], options));
  expect(said).toEqual({ arguments: ["one", "--end"], text: "packed" });
  const { status, stdout, stderr } = spawnSync(executable.path, [checkFlag], options);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  expect((await stat(executable.path)).size).toBeLessThan((await stat(process.execPath)).size);
});

test("those that are made at the same time do not disturb each other, and none stays", async () => {
  const program = await readProgram(entry);
  const make = async () => {
    await using executable = await makeExecutable(program, directory);
    return execFileSync(executable.path, ["--end"], { encoding: "utf8" });
  };
  for (const said of await Promise.all([make(), make(), make()])) expect(said).toContain("packed");
  expect(await readdir(directory)).toEqual([]);
});

test("the same program has the same hash, and another has another", async () => {
  const other = join(parent, "other.ts");
  await writeFile(other, `console.log("other");`);
  const one = await readProgram(entry);
  expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(await readProgram(entry)).toEqual(one);
  expect((await readProgram(other)).hash).not.toBe(one.hash);
});

test("nothing stays of one that could not be made", async () => {
  const program = await readProgram(entry);
  const stopped = makeExecutable(program, directory, AbortSignal.abort(new Error("stopped")));
  await expect(stopped).rejects.toThrow();
  expect(await readdir(directory)).toEqual([]);
});

test("a Node that has no room for a program is told, with what to do", async () => {
  const program = await readProgram(entry);
  const real = process.execPath;
  // Puts a blob where it is asked to, as Node does, and is otherwise no Node.
  const odd = join(parent, "node");
  await writeFile(odd, `#!/bin/sh\nexec ${real} "$@"\n`, { mode: 0o755 });
  process.execPath = odd;
  try {
    await expect(makeExecutable(program, directory)).rejects.toThrow(
      `cannot make the client proxy: the Node at ${odd} is not a 64-bit program of Linux; run Berg with the Node that npm ci installs, or that of nodejs.org`,
    );
  } finally {
    process.execPath = real;
  }
  expect(await readdir(directory)).toEqual([]);
});
