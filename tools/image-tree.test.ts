import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyTree } from "./image-tree.ts";

const checkout = join(import.meta.dirname, "..");

describe("what goes into the image", () => {
  let tree: string;
  let files: string[];
  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), "berg-image-tree-"));
    copyTree(checkout, tree);
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

  test("are our packages that berg needs, without their tests", () => {
    const ours = files.filter((file) => file.startsWith("packages/"));
    expect([...new Set(ours.map((file) => file.split("/")[1]))].sort()).toEqual([
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

  test("are below 12 MB", () => {
    const bytes = files.reduce((sum, file) => sum + statSync(join(tree, file)).size, 0);
    expect(bytes).toBeLessThan(12_000_000);
  });
});
