/** What a player downloads before the list of challenges is there. Bytes, which do not depend on the machine. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { buildPages } from "./build-pages.ts";

const mostBytes = 100_000;

test("the first view weighs at most 100 kB", async () => {
  const { directory } = await buildPages();
  const page = await readFile(join(directory, "index.html"), "utf8");
  const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(files.map((path) => path.replace(/.*\./, "")).sort()).toEqual(["css", "js", "js", "svg"]);
  const sizes = await Promise.all(
    ["index.html", ...files].map(async (path) => gzipSync(await readFile(join(directory, path)), { level: 9 }).length),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(mostBytes);
});

test("what only organisers need is not part of it", async () => {
  const { directory } = await buildPages();
  const page = await readFile(join(directory, "index.html"), "utf8");
  expect(page).not.toContain("instances-page");
});
