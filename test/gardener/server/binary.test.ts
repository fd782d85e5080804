import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { gardenerVersion, missingGardener } from "./binary.ts";

test("where it was not built, that and the way to build it are the reason to skip", () => {
  const reason = missingGardener({ XDG_CACHE_HOME: tmpdir() });
  expect(reason).toMatch(/berg\/gardener\/v[\d.]+ has no gardener-apiserver: .*build\.sh/);
});

test("the version is that of go.mod", () => {
  expect(gardenerVersion("require (\n\tgithub.com/gardener/gardener v1.2.3\n)")).toBe("v1.2.3");
  expect(gardenerVersion("require github.com/gardener/gardener v1.2.3")).toBe("v1.2.3");
  expect(() => gardenerVersion("require github.com/gardener/gardener/pkg/apis v1.2.3")).toThrow("does not require it");
});
