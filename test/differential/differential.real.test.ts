/** The embedded API server beside a real one: what once differed. What is new is looked for by `npm run test:differential`. */
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { knownReason } from "./differences.ts";
import { kept } from "./kept.ts";
import { play } from "./play.ts";
import { told } from "./report.ts";
import { prepare } from "./run.ts";
import { type Server, startEmbedded, startReal } from "./servers.ts";

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

  test("a known difference is one that is met as it was told", async () => {
    const resize = { method: "PATCH", path: "/api/v1/namespaces/{ns}/pods/b/resize", body: {} } as const;
    const found = await play(servers, [{ ...resize, type: "application/strategic-merge-patch+json" }]);
    expect(found && knownReason(found)).toMatch("pods/resize");
  });
});
