/** That each breakage can still be made. That each is caught takes minutes: `npm run test:breakages`. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { breakages, broken } from "./breakages.ts";

const root = join(import.meta.dirname, "../../..");

describe("a breakage", () => {
  test.each(breakages)("can be made, and its test is there: $name", async (breakage) => {
    const text = await readFile(join(root, breakage.file), "utf8");
    expect(broken(text, breakage)).not.toBe(text);
    expect(await readFile(join(root, breakage.caughtBy.file), "utf8")).toContain(breakage.caughtBy.test);
  });

  const breakage = { name: "n", file: "f", search: "b", replace: "c", caughtBy: { file: "", test: "" } };

  test.each(["a", "bab"])("whose text is there not once, as in %j, is told", (text) => {
    expect(() => broken(text, breakage)).toThrow(/f has \d times what is to be replaced/);
  });

  test("changes nothing else", () => {
    expect(broken("abd", breakage)).toBe("acd");
  });
});
