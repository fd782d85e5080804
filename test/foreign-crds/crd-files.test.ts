import { tmpdir } from "node:os";
import { expect, test, vi } from "vitest";
import { missingForeignCrds } from "./crd-files.ts";

test("where there is no go, that is the reason to skip", async () => {
  vi.stubEnv("PATH", tmpdir());
  const reason = await missingForeignCrds().finally(() => vi.unstubAllEnvs());
  expect(reason).toBe("the CRDs of Gateway API and Cilium cannot be fetched: there is no go");
});
