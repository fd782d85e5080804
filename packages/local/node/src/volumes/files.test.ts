import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { unmountBelow } from "./mount.ts";
import type { Payload } from "./payload.ts";
import { openSubPath } from "./sub-path.ts";
import { writeAtomically } from "./write-atomically.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-volumes-"));
});
afterEach(async () => {
  await unmountBelow(directory);
  await rm(directory, { recursive: true });
});

const payload = (files: Record<string, string>, mode = 0o640): Payload =>
  new Map(Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), mode }]));

describe("a volume's files", () => {
  test("stand behind ..data, with their modes", async () => {
    expect(await writeAtomically(directory, payload({ a: "1", "x/y/b": "2" }), {}, "v1")).toBe(true);
    expect((await readdir(directory)).sort()).toEqual(["..data", "..v1", "a", "x"]);
    expect(await readlink(join(directory, "..data"))).toBe("..v1");
    expect(await readlink(join(directory, "x"))).toBe("..data/x");
    expect(await readFile(join(directory, "x/y/b"), "utf8")).toBe("2");
    expect((await stat(join(directory, "a"))).mode & 0o777).toBe(0o640);
  });

  test("are all new or all old; what is the same is left alone", async () => {
    await writeAtomically(directory, payload({ a: "1", gone: "2" }), {}, "v1");
    expect(await writeAtomically(directory, payload({ a: "1", gone: "2" }), {}, "v2")).toBe(false);
    expect(await readlink(join(directory, "..data"))).toBe("..v1");
    expect(await writeAtomically(directory, payload({ a: "3" }), {}, "v3")).toBe(true);
    expect((await readdir(directory)).sort()).toEqual(["..data", "..v3", "a"]);
    expect(await readFile(join(directory, "a"), "utf8")).toBe("3");
    expect(await writeAtomically(directory, payload({ a: "3" }, 0o600), {}, "v4")).toBe(true);
  });

  test("half written by a process that was killed, they are written again", async () => {
    await writeAtomically(directory, payload({ a: "1" }), {}, "v1");
    await rm(join(directory, "..v1"), { recursive: true });
    await symlink("..v2", join(directory, "..data_tmp"));
    expect(await writeAtomically(directory, payload({ a: "1" }), {}, "v2")).toBe(true);
    expect(await readFile(join(directory, "a"), "utf8")).toBe("1");
  });
});

describe("a part of a volume", () => {
  const open = (subPath: string) => openSubPath(join(directory, "volume"), subPath, join(directory, "holders", "0"));
  beforeEach(() => mkdir(join(directory, "volume")));

  test("is a file or a directory of it, also behind a link of its own", async () => {
    await writeFile(join(directory, "volume/file"), "in");
    await symlink("file", join(directory, "volume/link"));
    expect(await readFile(await open("link"), "utf8")).toBe("in");
  });

  test("is made where it is missing", async () => {
    await chmod(join(directory, "volume"), 0o777);
    await open("a/b");
    const made = await stat(join(directory, "volume/a/b"));
    expect([made.isDirectory(), made.mode & 0o777]).toEqual([true, 0o777]);
  });

  const escapes = [
    { name: "a link to the host", make: () => symlink("/etc", join(directory, "volume/out")), subPath: "out" },
    {
      name: "one on the way",
      make: () => symlink("/", join(directory, "volume/out")),
      subPath: "out/tmp/made-by-test",
    },
    { name: "dots", make: async () => {}, subPath: "../x" },
    { name: "the root", make: async () => {}, subPath: "/etc" },
    { name: "a neighbour with a longer name", make: neighbour, subPath: "near" },
  ];
  async function neighbour() {
    await mkdir(join(directory, "volume-2"));
    await symlink(join(directory, "volume-2"), join(directory, "volume/near"));
  }
  test.each(escapes)("does not lead out of it: $name", async ({ make, subPath }) => {
    await make();
    await expect(open(subPath)).rejects.toThrow(`subPath "${subPath}" leads out of its volume`);
    expect(await readdir("/tmp")).not.toContain("made-by-test");
  });
});
