import type { KubeObject } from "@berg/apimachinery";
import { abortable, ConnectionError, type Informer } from "@berg/kube";
import { refusal, settle } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { copyTrouble, watchFilled } from "./garden.ts";

function copy({ filled = false, failure }: { filled?: boolean; failure?: unknown } = {}) {
  const sync = Promise.withResolvers<void>();
  const informer = {
    hasSynced: filled,
    failure,
    synced: (signal: AbortSignal) => abortable(sync.promise, signal),
  } as unknown as Informer<KubeObject>;
  return { informer, fill: () => sync.resolve() };
}

describe("copies of the garden", () => {
  test("that are filled are no trouble, whatever happens to their watches now", () => {
    expect(copyTrouble(copy({ filled: true, failure: refusal(503) }).informer)).toBeUndefined();
    expect(copyTrouble()).toBeUndefined();
  });

  test.each([
    ["nothing was heard yet", undefined, "GardenerUnreachable"],
    ["nobody is there", new ConnectionError("x", { sent: false, cause: { code: "ENOTFOUND" } }), "GardenerUnreachable"],
    ["the account has no right", refusal(403), "GardenerForbidden"],
    ["the kind is not served", refusal(404), "GardenerNotFound"],
    ["the answer makes no sense", new Error("a frame that is not JSON"), "GardenerUnreachable"],
  ])("where %s", (_, failure, reason) => {
    const known = copy({ filled: true }).informer;
    expect(copyTrouble(known, copy({ failure }).informer)).toMatchObject({ reason });
  });

  test("have everything looked at when all of them are filled, and not after the end", async () => {
    const [one, two] = [copy(), copy()];
    const keys: string[] = [];
    const watch = watchFilled([one.informer, two.informer], () => ["a", "b"]);
    expect([watch.informers, [...watch.all()]]).toEqual([[], []]);
    watch.start((key) => keys.push(key));
    const stop = watch.start((key) => keys.push(`late ${key}`));
    stop();
    one.fill();
    await settle();
    expect(keys).toEqual([]);
    two.fill();
    await settle();
    expect(keys).toEqual(["a", "b"]);
  });
});
