import { describe } from "vitest";
import { startEmbedded } from "../../packages/clusters/src/kubeconfig/testing/embedded.ts";
import { describeKilled } from "./killed/describe-killed.ts";
import type { Servers } from "./killed/landscape.ts";

async function start(): Promise<Servers & AsyncDisposable> {
  await using undo = new AsyncDisposableStack();
  const [home, garden, target] = [await startEmbedded(undo), await startEmbedded(undo), await startEmbedded(undo)];
  const parts = undo.move();
  return { home, garden, target, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

describe("a whole life on embedded control planes, with all operators killed", () => {
  describeKilled({ start, atOnce: 5 });
});
