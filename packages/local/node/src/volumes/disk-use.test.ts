import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskUse } from "./disk-use.ts";

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
    expect(await diskUse(directory, signal)).toBe(Number(du));
    expect(Number(du)).toBeGreaterThan(300_000);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("what is not there uses nothing, and an end is an end", async () => {
  expect(await diskUse("/nonexistent", signal)).toBe(0);
  await expect(diskUse(tmpdir(), AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
});
