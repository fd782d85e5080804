import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { clusterResourceDefinitions, customResourceDefinitions } from "./crd.ts";
import { clusterCrdFolder, generate, generatedFiles, generatedFolders, staleFiles } from "./generate.ts";

test.each(generatedFolders())("the CRDs that are checked in are what the schemas say: %s", async (folder, wanted) => {
  expect(await staleFiles(folder, wanted)).toEqual([]);
});

test("a reader of YAML 1.1, such as kubectl, gets back what was written", () => {
  const texts = generatedFolders().flatMap(([, files]) => [...files.values()]);
  const read = texts.map((text) => parse(text, { version: "1.1" }));
  expect(read).toEqual([...customResourceDefinitions(), ...clusterResourceDefinitions()]);
});

test("kubectl apply -k finds every kind of berg clusters", async () => {
  const { resources } = parse(await readFile(join(clusterCrdFolder, "kustomization.yaml"), "utf8"));
  const files = (await readdir(clusterCrdFolder)).filter((name) => name !== "kustomization.yaml");
  expect(resources.toSorted()).toEqual(files.sort());
});

describe("generating into a folder", () => {
  let folder: string;
  const wanted = generatedFiles();
  const names = [...wanted.keys()].sort();
  const [first = ""] = names;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crds-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("names every file of a folder that is empty or missing as stale", async () => {
    expect(await staleFiles(folder, wanted)).toEqual(names);
    expect(await staleFiles(join(folder, "missing"), wanted)).toEqual(names);
  });

  test("makes it fresh, with folders on the way", async () => {
    const deeper = join(folder, "a/b");
    await generate(deeper, wanted);
    expect(await staleFiles(deeper, wanted)).toEqual([]);
    expect((await readdir(deeper)).sort()).toEqual(names);
  });

  test("notices and repairs a changed file", async () => {
    await generate(folder, wanted);
    await writeFile(join(folder, first), `${wanted.get(first)} `);
    expect(await staleFiles(folder, wanted)).toEqual([first]);
    await generate(folder, wanted);
    expect(await readFile(join(folder, first), "utf8")).toBe(wanted.get(first));
  });

  test("leaves folders in it alone", async () => {
    await mkdir(join(folder, "more"));
    await generate(folder, wanted);
    expect(await staleFiles(folder, wanted)).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual([...names, "more"].sort());
  });

  test("removes what was generated under another name, and nothing else", async () => {
    await generate(folder, wanted);
    await writeFile(join(folder, "old.yaml"), wanted.get(first) ?? "");
    await writeFile(join(folder, "README.md"), "by hand");
    expect(await staleFiles(folder, wanted)).toEqual(["old.yaml"]);
    await generate(folder, wanted);
    expect((await readdir(folder)).sort()).toEqual(["README.md", ...names]);
  });
});
