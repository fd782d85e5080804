import { expect, test } from "vitest";
import { freePort } from "./ports.ts";

test("ports lie below those of outgoing connections", async () => {
  for (let i = 0; i < 50; i++) {
    const port = await freePort();
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(30_000);
  }
});
