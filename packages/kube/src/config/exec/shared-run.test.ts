import { describe, expect, test } from "vitest";
import { settle } from "../../testing/fake-clock.ts";
import { SharedRun } from "./shared-run.ts";

function setup() {
  const runs: { signal: AbortSignal; resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const shared = new SharedRun((signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    signal.addEventListener("abort", () => reject(signal.reason));
    runs.push({ signal, resolve, reject });
    return promise;
  });
  return { shared, runs };
}

describe("a shared run", () => {
  test("serves everybody who asks while it lasts, and nobody after", async () => {
    const { shared, runs } = setup();
    const both = Promise.all([shared.join(), shared.join(new AbortController().signal)]);
    runs[0]?.resolve("a");
    expect(await both).toEqual(["a", "a"]);
    const later = shared.join();
    expect(runs).toHaveLength(2);
    runs[1]?.resolve("b");
    expect(await later).toBe("b");
  });

  test("fails for everybody, and the next one tries again", async () => {
    const { shared, runs } = setup();
    const both = Promise.allSettled([shared.join(), shared.join()]);
    runs[0]?.reject(new Error("no"));
    expect((await both).map((result) => result.status)).toEqual(["rejected", "rejected"]);
    void shared.join();
    expect(runs).toHaveLength(2);
  });

  test("goes on when one of two leaves", async () => {
    const { shared, runs } = setup();
    const leaving = new AbortController();
    const left = shared.join(leaving.signal);
    const staying = shared.join();
    leaving.abort("bye");
    await expect(left).rejects.toBe("bye");
    expect(runs[0]?.signal.aborted).toBe(false);
    runs[0]?.resolve("a");
    expect(await staying).toBe("a");
  });

  test("stops when the last one leaves, and is not joined any more", async () => {
    const { shared, runs } = setup();
    const controllers = [new AbortController(), new AbortController()];
    const left = Promise.allSettled(controllers.map(({ signal }) => shared.join(signal)));
    for (const controller of controllers) controller.abort("bye");
    expect(runs[0]?.signal.aborted).toBe(true);
    const next = shared.join();
    await left;
    await settle();
    expect(runs).toHaveLength(2);
    runs[1]?.resolve("b");
    expect(await next).toBe("b");
  });

  test("is not started for a caller that has given up already", async () => {
    const { shared, runs } = setup();
    await expect(shared.join(AbortSignal.abort("bye"))).rejects.toBe("bye");
    expect(runs).toHaveLength(0);
  });
});
