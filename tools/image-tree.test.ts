import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { buildPages } from "../packages/web/build/build-pages.ts";
import { copyPages, copyTree } from "./image-tree.ts";

const checkout = join(import.meta.dirname, "..");

describe("what goes into the image", () => {
  let tree: string;
  let files: string[];
  beforeAll(async () => {
    await buildPages();
    tree = mkdtempSync(join(tmpdir(), "berg-image-tree-"));
    copyTree(checkout, tree);
    await copyPages(checkout, tree);
    files = readdirSync(tree, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(tree, join(parentPath, name)))
      // Links to packages/.
      .filter((file) => !file.startsWith("node_modules/@berg/"));
  });
  afterAll(() => rmSync(tree, { recursive: true, force: true }));

  test("runs by itself, and without code made from text", () => {
    const main = join(tree, "packages/cli/src/main.ts");
    const run = (...args: string[]) =>
      spawnSync(process.execPath, ["--disallow-code-generation-from-strings", main, ...args], {
        cwd: "/",
        env: { PATH: "" },
        encoding: "utf8",
      });
    expect(run("version").stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(run("crds").stdout).toContain("challengeinstances.berg.norelect.ch");
  });

  test("runs the API, which refuses the flag with a reason", () => {
    const main = join(tree, "packages/cli/src/main.ts");
    const run = (...flags: string[]) => {
      const env = { PATH: "", PUBLIC_URL: "https://ctf.example.com", PAGES_DIR: join(tree, "pages") };
      return spawnSync(process.execPath, [...flags, main, "api"], { cwd: "/", env, encoding: "utf8" });
    };
    expect(run().stderr).toContain("cannot read DATABASE_URL: it is not set");
    const refused = run("--disallow-code-generation-from-strings");
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("Run it as `berg api`")]);
  });

  test("are our packages that berg needs, without their tests", () => {
    const ours = files.filter((file) => file.startsWith("packages/"));
    expect([...new Set(ours.map((file) => file.split("/")[1]))].sort()).toEqual([
      "api",
      "apimachinery",
      "cli",
      "clusters",
      "database",
      "healing",
      "instances",
      "kube",
      "local",
      "resources",
    ]);
    expect(ours.filter((file) => /\.test\.ts$|\/testing\//.test(file))).toEqual([]);
  });

  test("are no dev dependencies, and nothing of others' that never runs", () => {
    const { packages } = JSON.parse(readFileSync(join(checkout, "package-lock.json"), "utf8")) as {
      packages: Record<string, { dev?: boolean; optional?: boolean }>;
    };
    const installed = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
    const unneeded = installed.filter((path) => packages[path]?.dev || packages[path]?.optional || !packages[path]);
    expect([...new Set(unneeded)]).toEqual([]);
    expect(files.filter((file) => /node_modules\/.*(\.ts$|\.map$|\/tests?\/)/.test(file))).toEqual([]);
  });

  test("are the built pages", () => {
    const pages = files.filter((file) => file.startsWith("pages/"));
    expect(pages).toContain("pages/index.html");
    expect(pages).toContainEqual(expect.stringMatching(/^pages\/assets\/index-.*\.js\.br$/));
  });

  test("are no pages that were built from other sources, or not at all", async () => {
    const checkout = mkdtempSync(join(tmpdir(), "berg-image-tree-"));
    onTestFinished(() => rmSync(checkout, { recursive: true, force: true }));
    await expect(copyPages(checkout, tree)).rejects.toThrow("the pages are not built: run npm run pages first");
    mkdirSync(join(checkout, "packages/web/dist"), { recursive: true });
    writeFileSync(join(checkout, "packages/web/dist/build.json"), '{"hash":"of older sources"}');
    await expect(copyPages(checkout, tree)).rejects.toThrow("the pages have changed since they were built");
  });

  test("are below 18 MB", () => {
    const bytes = files.reduce((sum, file) => sum + statSync(join(tree, file)).size, 0);
    expect(bytes).toBeLessThan(18_000_000);
  });
});
