import { describe, expect, test } from "vitest";
import { Waiters } from "./waiters.ts";

describe("Waiters", () => {
  test("serves first come first", async () => {
    const waiters = new Waiters<number>();
    const served: string[] = [];
    const all = ["a", "b", "c"].map((name) => waiters.join().then((value) => served.push(`${name}${value}`)));
    waiters.releaseFirst(1);
    waiters.releaseAll(2);
    await Promise.all(all);
    expect(served).toEqual(["a1", "b2", "c2"]);
    expect(waiters.size).toBe(0);
  });

  test("one that is aborted leaves the line, and what comes next goes to the one behind it", async () => {
    const waiters = new Waiters<string>();
    const abort = new AbortController();
    let left = 0;
    const first = waiters.join(abort.signal, () => left++);
    const second = waiters.join();
    abort.abort(new Error("gave up"));
    await expect(first).rejects.toThrow("gave up");
    waiters.releaseFirst("turn");
    expect(await second).toBe("turn");
    expect(left).toBe(1);
  });

  test("an abort after the release changes nothing", async () => {
    const waiters = new Waiters<string>();
    const abort = new AbortController();
    const turn = waiters.join(abort.signal, () => expect.unreachable());
    waiters.releaseFirst("turn");
    abort.abort();
    expect(await turn).toBe("turn");
  });

  test("one that is already aborted does not join", async () => {
    const waiters = new Waiters<string>();
    await expect(waiters.join(AbortSignal.abort(new Error("gave up")))).rejects.toThrow("gave up");
    expect(waiters.size).toBe(0);
  });
});
