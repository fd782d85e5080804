import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskUse, leastFileBytes } from "./disk-use.ts";

const { signal } = new AbortController();

test("is what du says, with links of both kinds and directories in each other", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-disk-use-"));
  try {
    await mkdir(join(directory, "a/b"), { recursive: true });
    await writeFile(join(directory, "a/b/large"), Buffer.alloc(300_000, "x"));
    await link(join(directory, "a/b/large"), join(directory, "again"));
    await symlink("/", join(directory, "everything"));
    await writeFile(join(directory, "small"), "x");
    const [du = ""] = execFileSync("du", ["--summarize", "--block-size=1", directory], { encoding: "utf8" }).split(
      "\t",
    );
    const used = await diskUse(directory, signal);
    expect(used).toBeGreaterThanOrEqual(Number(du));
    // Three directories, a link and two files, none of which may have a block of its own.
    expect(used).toBeLessThanOrEqual(Number(du) + 6 * leastFileBytes);
    expect(used).toBeGreaterThan(300_000);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("what is not there uses nothing, and an end is an end", async () => {
  expect(await diskUse("/nonexistent", signal)).toBe(0);
  await expect(diskUse(tmpdir(), AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
});

test("empty files count too, and nobody goes on counting once there are enough", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-disk-use-"));
  try {
    for (let index = 0; index < 500; index++) await writeFile(join(directory, String(index)), "");
    expect(await diskUse(directory, signal)).toBeGreaterThanOrEqual(500 * leastFileBytes);
    const some = await diskUse(directory, signal, 20 * leastFileBytes);
    expect(some).toBeGreaterThan(20 * leastFileBytes);
    expect(some).toBeLessThan(100 * leastFileBytes);
  } finally {
    await rm(directory, { recursive: true });
  }
});
