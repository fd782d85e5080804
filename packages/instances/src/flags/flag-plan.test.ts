import { expect, test } from "vitest";
import { flagEnv } from "./flag-env.ts";
import { contentFile, executableFile } from "./flag-file.ts";
import { flagPlan } from "./flag-plan.ts";

const owner = { uid: "0b0e9a5e-3f5e-4a5c-9c5e-0d1f2a3b4c5d", flag: "flag{$1}" };
const path = "/srv/{entropy}";

test("the flag goes the way that the author chose", () => {
  expect(flagPlan({ env: { name: "FLAG" } }, owner, "x86-64")).toEqual({
    way: "env",
    env: flagEnv("FLAG", owner.flag),
  });
  expect(flagPlan({ content: { path, mode: "0400" } }, owner, "x86-64")).toEqual({
    way: "content",
    file: contentFile({ path, mode: "0400" }, owner),
  });
  expect(flagPlan({ executable: { path } }, owner, "aarch64")).toEqual({
    way: "executable",
    file: executableFile({ path }, owner, "aarch64"),
  });
});

test("a wish for nothing is refused", () => {
  expect(() => flagPlan({}, owner, "x86-64")).toThrow(
    "cannot hand over the flag: dynamicFlag is empty; set env, content or executable in it",
  );
});
