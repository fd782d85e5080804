import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDataDirectory } from "./data-directory.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "berg-data-"));
});
afterAll(() => rm(root, { recursive: true }));

test("is made with all above it, for its owner alone; one that is there stays", async () => {
  const path = join(root, "a/b/c");
  await Promise.all([makeDataDirectory(path), makeDataDirectory(path)]);
  await makeDataDirectory(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test("a file in its way, and a place where none can be made, are told", async () => {
  await writeFile(join(root, "file"), "");
  for (const path of [join(root, "file"), join(root, "file/x"), "/proc/berg/x"]) {
    const wanted = `cannot keep data in ${path}: it is no directory, and none can be made there (`;
    await expect(makeDataDirectory(path)).rejects.toThrow(wanted);
  }
});
