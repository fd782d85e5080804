/** On real files, as editors write them. */
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@berg/kube";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Changes } from "./watch.ts";

let directory: string;
let changes: Changes;
let troubles: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "berg-watch-"));
  troubles = [];
  const dataDir = join(directory, "data");
  for (const folder of ["web/css", "data", ".git"]) mkdirSync(join(directory, folder), { recursive: true });
  writeFileSync(join(directory, "web/index.html"), "one");
  changes = new Changes({ clock: systemClock, dataDir, onTrouble: (text) => troubles.push(text) });
  changes.watch(new Map([[directory, { recursive: true }]]));
});
afterEach(() => {
  changes[Symbol.dispose]();
  rmSync(directory, { recursive: true });
});

/** Into another file first, which then takes the place of the old one. */
function save(path: string, text: string): void {
  const file = join(directory, path);
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}

async function isSeen(): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), 20_000));
  return Promise.race([changes.next().then(() => true), late]);
}

const quiet = () => Promise.race([changes.next(), new Promise((resolve) => setTimeout(() => resolve("quiet"), 1_000))]);

describe("a change is seen", () => {
  test("each time a file is replaced, as editors do when they save", async () => {
    for (const text of ["two", "three", "four"]) {
      save("web/index.html", text);
      expect(await isSeen()).toBe(true);
    }
  });

  test("in place, deep down, in a new folder, and in one that was made anew", async () => {
    appendFileSync(join(directory, "web/index.html"), "more");
    expect(await isSeen()).toBe(true);
    writeFileSync(join(directory, "web/css/a.css"), "");
    expect(await isSeen()).toBe(true);
    mkdirSync(join(directory, "web/js/lib"), { recursive: true });
    expect(await isSeen()).toBe(true);
    save("web/js/lib/a.js", "1");
    expect(await isSeen()).toBe(true);
    rmSync(join(directory, "web/css"), { recursive: true });
    expect(await isSeen()).toBe(true);
    mkdirSync(join(directory, "web/css"));
    expect(await isSeen()).toBe(true);
    save("web/css/a.css", "2");
    expect(await isSeen()).toBe(true);
    expect(troubles).toEqual([]);
  });

  test("while nobody waits, and once for those that come together", async () => {
    save("web/index.html", "two");
    save("web/css/a.css", "two");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await isSeen()).toBe(true);
    expect(await quiet()).toBe("quiet");
  });
});

test("what changes by itself is not", async () => {
  save("data/objects", "1");
  save(".git/index", "1");
  expect(await quiet()).toBe("quiet");
});

test("only what is wanted is watched, and a folder that is not there is told", async () => {
  changes.watch(new Map([[directory, { recursive: false }]]));
  save("web/index.html", "two");
  expect(await quiet()).toBe("quiet");
  save("challenge.yaml", "two");
  expect(await isSeen()).toBe(true);
  changes.watch(new Map([[join(directory, "gone"), { recursive: false }]]));
  expect(troubles.join()).toContain(`Cannot see changes in ${join(directory, "gone")} any more`);
});
