/** The embedded API server beside a real one: what once differed, and a little that is new each time. */
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { knownReason } from "./differences.ts";
import { kept } from "./kept.ts";
import { play } from "./play.ts";
import { told } from "./report.ts";
import { prepare, run } from "./run.ts";
import { type Server, startEmbedded, startReal } from "./servers.ts";

const randomMs = 40_000;

describe.skipIf(await missingControlPlane())("requests to the embedded API server and to a real one", () => {
  const undo = new AsyncDisposableStack();
  let servers: readonly [Server, Server];

  beforeAll(async () => {
    servers = [undo.use(await startReal()), undo.use(await startEmbedded())];
    await prepare(servers);
  });
  afterAll(() => undo.disposeAsync());

  test.each(Object.entries(kept))("%s", async (_name, steps) => {
    const found = await play(servers, steps);
    if (found) expect.fail(told(found));
  });

  test("random ones are answered alike", { timeout: 10 * randomMs }, async () => {
    const seed = Date.now() % 1_000_000;
    const until = performance.now() + randomMs;
    const { found, played } = await run(servers, { seed, goesOn: () => performance.now() < until });
    expect(played).toBeGreaterThan(20);
    if (found.length > 0) expect.fail([`seed ${seed}`, ...found.map(told)].join("\n\n"));
  });

  test("a known difference is one that is met as it was told", async () => {
    const resize = { method: "PATCH", path: "/api/v1/namespaces/{ns}/pods/b/resize", body: {} } as const;
    const found = await play(servers, [{ ...resize, type: "application/strategic-merge-patch+json" }]);
    expect(found && knownReason(found)).toMatch("pods/resize");
  });
});
