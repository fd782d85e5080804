import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { descriptorsToHave, withDescriptors } from "./descriptors.ts";

const run = promisify(execFile);

test("fewer than the machine allows can be had; above that, what it allows", async () => {
  const { stdout } = await run("sh", ["-c", "ulimit -H -n"]);
  expect(await descriptorsToHave(200)).toBe(200);
  // Above the kernel's own limit, which root cannot pass either.
  expect(await descriptorsToHave(2 ** 40)).toBe(Number(stdout));
});

test("a program has as many as it is given, cannot take more, and keeps its arguments", async () => {
  const program = ["sh", "-c", 'ulimit -S -n; ulimit -H -n; echo "$1"', "sh", "two words"];
  const { stdout } = await run(...withDescriptors(200, program));
  expect(stdout).toBe("200\n200\ntwo words\n");
});
