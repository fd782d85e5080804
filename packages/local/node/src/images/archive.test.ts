import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tar } from "@berg/local-engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { imageArchive } from "./archive.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-tar-"));
});
afterEach(() => rm(directory, { recursive: true }));

async function tarCommand(archive: Buffer, ...args: string[]): Promise<string> {
  const file = join(directory, "archive.tar");
  await writeFile(file, archive);
  return execFileSync("tar", [...args, "--file", file], { encoding: "utf8", cwd: directory });
}

test("the system's tar reads what is written: kinds, modes, owners and bytes", async () => {
  const bytes = Buffer.from("grüezi\n".repeat(100));
  const archive = tar([
    { kind: "directory", path: "srv", mode: 0o1777 },
    { kind: "file", path: "srv/hello", mode: 0o640, uid: 1000, gid: 1001, bytes },
    { kind: "file", path: "srv/empty", mode: 0o644, bytes: Buffer.alloc(0) },
    { kind: "link", path: "srv/link", mode: 0o777, target: "/srv/hello" },
  ]);
  const listing = await tarCommand(archive, "--list", "--verbose", "--numeric-owner");
  expect(listing.replaceAll(/ +/g, " ").replaceAll(/ \d{4}-\d\d-\d\d \d\d:\d\d/g, "")).toBe(
    [
      "drwxrwxrwt 0/0 0 srv",
      `-rw-r----- 1000/1001 ${bytes.length} srv/hello`,
      "-rw-r--r-- 0/0 0 srv/empty",
      "lrwxrwxrwx 0/0 0 srv/link -> /srv/hello\n",
    ].join("\n"),
  );
  expect(await tarCommand(archive, "--extract", "--to-stdout", "srv/hello")).toBe(bytes.toString());
});

test("names and owners that the header has no room for are read all the same", async () => {
  const path = `${"ä".repeat(80)}/${"y".repeat(120)}`;
  const archive = tar([
    { kind: "file", path, mode: 0o644, uid: 3_000_000, gid: 3_000_001, bytes: Buffer.from("hi") },
    { kind: "link", path: "link", mode: 0o777, target: path },
  ]);
  const listing = await tarCommand(archive, "--list", "--verbose", "--numeric-owner", "--quoting-style=literal");
  expect(listing).toMatch(new RegExp(`^-rw-r--r-- 3000000/3000001 +2 .* ${path}$`, "m"));
  expect(listing).toMatch(new RegExp(`link -> ${path}$`, "m"));
  expect(await tarCommand(archive, "--extract", "--to-stdout", path)).toBe("hi");
});

test("a name with a NUL in it is refused", () => {
  expect(() => tar([{ kind: "directory", path: "a\0b", mode: 0o755 }])).toThrow("it has a NUL");
});

test("an image names its layers and what it runs, and a layer has the directories above its files", async () => {
  const archive = imageArchive({
    name: "berg.test/web:1",
    layers: [{ "/srv/www/index.html": { content: "hi" }, "/srv/www": { directory: true, mode: 0o700 } }],
    command: ["httpd"],
    user: "1000",
  });
  await tarCommand(archive, "--extract");
  const [manifest] = JSON.parse(await tarCommand(archive, "--extract", "--to-stdout", "manifest.json"));
  expect(manifest.RepoTags).toEqual(["berg.test/web:1"]);
  const config = JSON.parse(await tarCommand(archive, "--extract", "--to-stdout", manifest.Config));
  expect(config).toMatchObject({ os: "linux", config: { Cmd: ["httpd"], User: "1000" } });
  const [layer] = manifest.Layers;
  expect(config.rootfs.diff_ids).toEqual([`sha256:${layer.replace(".tar", "")}`]);
  const listing = execFileSync("tar", ["--list", "--verbose", "--file", join(directory, layer)], { encoding: "utf8" });
  expect(listing.match(/^\S+|\S+$/gm)).toEqual([
    ...["drwxr-xr-x", "srv"],
    ...["drwx------", "srv/www"],
    ...["-rw-r--r--", "srv/www/index.html"],
  ]);
});

test.each(["srv/web", "/srv/../etc/passwd", "/srv/", "/", "/srv//web"])("%s is no place in an image", (path) => {
  const make = () => imageArchive({ name: "berg.test/x:1", layers: [{ [path]: { content: "" } }] });
  expect(make).toThrow("it must be an absolute path without detours");
});

test("layers of equal content stand in the archive once", async () => {
  const layer = { "/a": { content: "a" } };
  const archive = imageArchive({ name: "berg.test/x:1", layers: [layer, layer] });
  expect((await tarCommand(archive, "--list")).split("\n").filter((name) => name.endsWith(".tar"))).toHaveLength(1);
});
