import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildPages } from "./build-pages.ts";

let root: string;
let packageDirectory: string;
let builds: number;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "berg-web-"));
  packageDirectory = join(root, "web");
  builds = 0;
  await put("index.html", "<!doctype html>");
  await put("package.json", "{}");
  await put("vite.config.ts", "");
  await put("src/main.tsx", "one");
  await put("src/main.test.ts", "test");
  await put("../api/src/wire.ts", "wire");
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, content: string): Promise<void> {
  const file = join(packageDirectory, path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, content);
}

/** Stands in for Vite: the output names the source that it was made from. */
async function runVite(from: string, outputDirectory: string): Promise<void> {
  builds++;
  await mkdir(join(outputDirectory, "assets"), { recursive: true });
  const source = await readFile(join(from, "src/main.tsx"), "utf8");
  await writeFile(join(outputDirectory, "index.html"), source);
  await writeFile(join(outputDirectory, "assets/main.js"), source.repeat(1000));
}

const build = () => buildPages({ packageDirectory, runVite });

test("builds once, and then uses that build", async () => {
  const directory = join(packageDirectory, "dist");
  expect(await build()).toEqual({ directory, cached: false });
  expect(await build()).toEqual({ directory, cached: true });
  expect(builds).toBe(1);
});

test.each(["src/main.tsx", "src/new.css", "index.html", "vite.config.ts", "package.json", "../api/src/wire.ts"])(
  "builds again after a change of %s",
  async (path) => {
    await build();
    await put(path, "changed");
    expect((await build()).cached).toBe(false);
  },
);

test("does not build again after a change of a test", async () => {
  await build();
  await put("src/main.test.ts", "changed");
  expect((await build()).cached).toBe(true);
});

test("replaces an older build and leaves nothing else behind", async () => {
  await build();
  await put("src/main.tsx", "two");
  await build();
  expect(await readFile(join(packageDirectory, "dist/index.html"), "utf8")).toBe("two");
  expect((await readdir(packageDirectory)).filter((name) => name.includes("dist"))).toEqual(["dist"]);
});

test("builds at the same time do not break each other", async () => {
  await build();
  await put("src/main.tsx", "two");
  await Promise.all([build(), build(), build()]);
  expect(await readFile(join(packageDirectory, "dist/index.html"), "utf8")).toBe("two");
  expect((await readdir(packageDirectory)).filter((name) => name.includes("dist"))).toEqual(["dist"]);
  expect((await build()).cached).toBe(true);
});

test("a build that fails leaves the older one in place", async () => {
  await build();
  await put("src/main.tsx", "two");
  const failing = buildPages({ packageDirectory, runVite: () => Promise.reject(new Error("no")) });
  await expect(failing).rejects.toThrow("no");
  expect(await readFile(join(packageDirectory, "dist/index.html"), "utf8")).toBe("one");
});

test("writes compressed files beside those over 1 kB", async () => {
  await build();
  const assets = join(packageDirectory, "dist/assets");
  expect((await readdir(assets)).sort()).toEqual(["main.js", "main.js.br", "main.js.gz"]);
  expect(gunzipSync(await readFile(join(assets, "main.js.gz"))).toString()).toBe("one".repeat(1000));
  expect((await readdir(join(packageDirectory, "dist"))).sort()).toEqual(["assets", "build.json", "index.html"]);
});
