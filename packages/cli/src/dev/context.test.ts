import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changedPaths, readContext } from "./context.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-context-"));
});
afterEach(() => rm(directory, { recursive: true }));

async function write(path: string, text: string) {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), text);
}
const paths = async (...ignored: string[]) => [...(await readContext(directory, ignored)).digests.keys()];

test("all that is in the directory is in the archive, but for .git, .berg and the data of berg up", async () => {
  for (const path of ["Dockerfile", "src/app.py", ".git/HEAD", "src/.git/HEAD", ".berg/db", "data/db", ".dockerignore"])
    await write(path, "x");
  await symlink("app.py", join(directory, "src/link"));
  expect(await paths(join(directory, "data"))).toEqual([
    ".dockerignore",
    "Dockerfile",
    "src",
    "src/app.py",
    "src/link",
  ]);
  expect((await readContext(directory)).archive.includes("src/app.py")).toBe(true);
});

test("what .dockerignore names stays at home, but for the Dockerfile", async () => {
  for (const path of ["Dockerfile", "solve/a.py", "solve/keep", "app.py"]) await write(path, "x");
  await write(".dockerignore", "solve\n!solve/keep\nDockerfile\n");
  expect(await paths()).toEqual([".dockerignore", "Dockerfile", "app.py", "solve/keep"]);
});

test("a socket is left out", async () => {
  const server = createServer().listen(join(directory, "socket"));
  await new Promise((resolve) => server.once("listening", resolve));
  expect(await paths()).toEqual([]);
  server.close();
});

test("content, mode, new and removed files are changes, and nothing else is", async () => {
  await write("same", "1");
  await write("content", "1");
  await write("mode", "1");
  await write("removed", "1");
  await symlink("one", join(directory, "link"));
  const before = await readContext(directory);
  await write("same", "1");
  await write("content", "2");
  await chmod(join(directory, "mode"), 0o755);
  await rm(join(directory, "removed"));
  await rm(join(directory, "link"));
  await symlink("two", join(directory, "link"));
  await write("new", "1");
  const after = await readContext(directory);
  expect(changedPaths(before.digests, after.digests)).toEqual(["content", "link", "mode", "new", "removed"]);
});
