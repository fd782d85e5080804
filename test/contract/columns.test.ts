import { expect, test } from "vitest";
import { table } from "./columns.ts";

test("themes are counted, and checks on which the two differ are named", () => {
  const checks = new Map([
    ["reading > one", { real: "passed", embedded: "passed" }],
    ["reading > two", { real: "passed", embedded: "failed" }],
    ["writing > one", { real: "passed" }],
  ]);
  const words = table(checks)
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/).join(" | "));
  expect(words).toEqual([
    "contract | checks | real | embedded",
    "reading | 2 | 2 | 1",
    "writing | 1 | 1 | 0",
    "all | 3 | 3 | 1",
    "reading > two: real passed, embedded failed",
    "writing > one: real passed, embedded undefined",
  ]);
});
