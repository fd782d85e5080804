import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { describeKilled } from "./killed/describe-killed.ts";
import type { Servers } from "./killed/landscape.ts";

async function start(): Promise<Servers & AsyncDisposable> {
  await using undo = new AsyncDisposableStack();
  const startOne = async (controllerManager: boolean) =>
    undo.use(await startControlPlane({ controllerManager, scheduler: false })).connection;
  // It ends namespaces of the target.
  const [home, garden, target] = await Promise.all([startOne(false), startOne(false), startOne(true)]);
  const parts = undo.move();
  return { home, garden, target, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

describe.skipIf(await missingControlPlane())("a whole life on real API servers, with all operators killed", () => {
  describeKilled({ start, atOnce: 9 });
});
