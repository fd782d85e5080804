import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { customResourceDefinitions } from "./crd.ts";
import { crdFolder, generate, generatedFiles, staleFiles } from "./generate.ts";

test("the CRDs that are checked in are what the schemas say", async () => {
  expect(await staleFiles(crdFolder)).toEqual([]);
});

test("a reader of YAML 1.1, such as kubectl, gets back what was written", () => {
  const read = [...generatedFiles().values()].map((text) => parse(text, { version: "1.1" }));
  expect(read).toEqual(customResourceDefinitions());
});

describe("generating into a folder", () => {
  let folder: string;
  const names = [...generatedFiles().keys()].sort();
  const [first = ""] = names;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crds-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("names every file of a folder that is empty or missing as stale", async () => {
    expect(await staleFiles(folder)).toEqual(names);
    expect(await staleFiles(join(folder, "missing"))).toEqual(names);
  });

  test("makes it fresh, with folders on the way", async () => {
    const deeper = join(folder, "a/b");
    await generate(deeper);
    expect(await staleFiles(deeper)).toEqual([]);
    expect((await readdir(deeper)).sort()).toEqual(names);
  });

  test("notices and repairs a changed file", async () => {
    await generate(folder);
    await writeFile(join(folder, first), `${generatedFiles().get(first)} `);
    expect(await staleFiles(folder)).toEqual([first]);
    await generate(folder);
    expect(await readFile(join(folder, first), "utf8")).toBe(generatedFiles().get(first));
  });

  test("removes what was generated under another name, and nothing else", async () => {
    await generate(folder);
    await writeFile(join(folder, "old.yaml"), generatedFiles().get(first) ?? "");
    await writeFile(join(folder, "README.md"), "by hand");
    expect(await staleFiles(folder)).toEqual(["old.yaml"]);
    await generate(folder);
    expect((await readdir(folder)).sort()).toEqual(["README.md", ...names]);
  });
});
