import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import type { QueueMetrics } from "./metrics.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

function setUp(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock, random: () => 0.5, ...options });
  return { clock, queue };
}

/** All that can be had at once, without finishing it. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) {
    const taken = await queue.get();
    if (!taken) break;
    keys.push(taken.key);
  }
  return keys;
}

describe("add, get, done", () => {
  test("a key added many times is handed out once", async () => {
    const { queue } = setUp();
    for (const key of ["a", "b", "a", "a"]) queue.add(key);
    expect(queue.depth).toBe(2);
    expect(await takeAll(queue)).toEqual(["a", "b"]);
  });

  test("a key added while it is processed is handed out again, once, after done", async () => {
    const { queue } = setUp();
    queue.add("a");
    await queue.get();
    queue.add("a");
    queue.add("a");
    const next = queue.get();
    let given = false;
    void next.then(() => {
      given = true;
    });
    await settle();
    expect(given).toBe(false);
    queue.done("a");
    expect((await next)?.key).toBe("a");
    queue.done("a");
    expect(queue.depth).toBe(0);
  });

  test("a key added again after done waits behind the others", async () => {
    const { queue } = setUp();
    queue.add("a");
    await queue.get();
    queue.add("b");
    queue.add("a");
    queue.done("a");
    expect(await takeAll(queue)).toEqual(["b", "a"]);
  });

  test("workers that wait get keys in the order in which they came", async () => {
    const { queue } = setUp();
    const gets = [queue.get(), queue.get(), queue.get()];
    for (const key of ["a", "b", "c"]) queue.add(key);
    expect((await Promise.all(gets)).map((taken) => taken?.key)).toEqual(["a", "b", "c"]);
  });

  test("an aborted get takes no key with it", async () => {
    const { queue } = setUp();
    const abort = new AbortController();
    const gone = queue.get(abort.signal);
    const stays = queue.get();
    abort.abort(new Error("worker stops"));
    queue.add("a");
    await expect(gone).rejects.toThrow("worker stops");
    expect((await stays)?.key).toBe("a");
    queue.add("b");
    await expect(queue.get(abort.signal)).rejects.toThrow("worker stops");
    expect(queue.depth).toBe(1);
  });

  test("a key handed over just before the abort reaches its worker", async () => {
    const { queue } = setUp();
    const abort = new AbortController();
    const get = queue.get(abort.signal);
    queue.add("a");
    abort.abort();
    expect((await get)?.key).toBe("a");
  });

  test("a second done is refused, since it could free a key that another worker has", async () => {
    const { queue } = setUp();
    queue.add("a");
    expect(() => queue.done("a")).toThrow('cannot finish "a": no worker has it (done called twice?)');
    await queue.get();
    queue.done("a");
    expect(() => queue.done("a")).toThrow(/no worker has it/);
  });
});

describe("priority", () => {
  test("higher goes first; a waiting key is raised, never lowered", async () => {
    const { queue } = setUp();
    queue.add("a");
    queue.add("b", { priority: -100 });
    queue.add("c", { priority: 10 });
    queue.add("d");
    queue.add("b", { priority: 10 });
    queue.add("c", { priority: -100 });
    expect(await takeAll(queue)).toEqual(["c", "b", "a", "d"]);
  });

  test("is told to the worker, and kept for the hand-out after done", async () => {
    const { queue } = setUp();
    queue.add("a", { priority: 5 });
    const taken = await queue.get();
    queue.add("a", { priority: 1 });
    queue.add("a", { priority: 7 });
    queue.add("a");
    expect(taken).toMatchObject({ key: "a", priority: 5 });
    queue.done("a");
    expect(await queue.get()).toMatchObject({ key: "a", priority: 7 });
  });

  test("a low key gets its turn under an endless stream of high ones", async () => {
    const { queue } = setUp();
    queue.add("low", { priority: -100 });
    queue.add("high");
    let turns = 0;
    for (let taken = await queue.get(); taken?.key !== "low"; taken = await queue.get()) {
      turns++;
      queue.add("high");
      queue.done("high");
      expect(turns).toBeLessThanOrEqual(10);
    }
    expect(turns).toBe(10);
  });

  test("a priority that is not a number is refused before anything changes", () => {
    const { queue } = setUp();
    expect(() => queue.add("a", { priority: Number.NaN })).toThrow('cannot add "a": its priority is not a number');
    expect(queue.depth).toBe(0);
  });
});

describe("addAfter", () => {
  test("what comes later and is no more urgent is left out", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 500, { priority: 1 });
    queue.addAfter("a", 400, { priority: 5 });
    queue.addAfter("a", 100, { priority: 9 });
    queue.addAfter("a", 200, { priority: 9 });
    queue.addAfter("a", 900);
    await clock.advance(99);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(await queue.get()).toMatchObject({ key: "a", priority: 9 });
    queue.done("a");
    await clock.advance(10_000);
    expect(queue.depth).toBe(0);
  });

  test("what is more urgent later does not hurry what comes before it, and still comes", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 500, { priority: 9 });
    queue.addAfter("a", 100, { priority: 1 });
    queue.addAfter("a", 900, { priority: 5 });
    await clock.advance(100);
    expect(await queue.get()).toMatchObject({ key: "a", priority: 1 });
    queue.done("a");
    await clock.advance(399);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(await queue.get()).toMatchObject({ key: "a", priority: 9 });
    queue.done("a");
    await clock.advance(10_000);
    expect({ depth: queue.depth, timers: clock.timers }).toEqual({ depth: 0, timers: 0 });
  });

  test("no delay adds at once", () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 0);
    queue.addAfter("b", -5);
    expect({ depth: queue.depth, timers: clock.timers }).toEqual({ depth: 2, timers: 0 });
  });

  test("an add meanwhile goes ahead and does not take the delayed one's place", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("expires", 1000);
    queue.add("expires");
    expect(await takeAll(queue)).toEqual(["expires"]);
    queue.done("expires");
    await clock.advance(1000);
    expect(await takeAll(queue)).toEqual(["expires"]);
  });

  test("a key that falls due while it is processed comes again after done", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    await queue.get();
    queue.addAfter("a", 100);
    await clock.advance(200);
    queue.done("a");
    expect(await takeAll(queue)).toEqual(["a"]);
  });
});

describe("addRateLimited", () => {
  test("each failure doubles the delay until the key is forgotten", async () => {
    const { clock, queue } = setUp();
    const fail = async () => {
      queue.addRateLimited("a");
      const start = clock.monotonic();
      const taken = queue.get().then(() => clock.monotonic() - start);
      await clock.advance(3_600_000);
      const delay = await taken;
      queue.done("a");
      return delay;
    };
    expect([await fail(), await fail(), await fail()]).toEqual([110, 220, 440]);
    expect(queue.retries("a")).toBe(3);
    queue.forget("a");
    expect(queue.retries("a")).toBe(0);
    expect(await fail()).toBe(110);
  });

  test("many failing keys together are slowed to the common rate", async () => {
    const { clock, queue } = setUp({ random: () => 0, retryRate: { perSecond: 10, burst: 5 } });
    for (let i = 0; i < 25; i++) queue.addRateLimited(`key ${i}`);
    await clock.advance(20);
    expect(queue.depth).toBe(5);
    await clock.advance(980);
    expect(queue.depth).toBe(15);
    await clock.advance(1000);
    expect(queue.depth).toBe(25);
  });

  test("one key that fails all the time does not slow another", async () => {
    const { clock, queue } = setUp({ retryRate: { perSecond: 1, burst: 5 } });
    for (let i = 0; i < 1000; i++) queue.addRateLimited("bad");
    queue.addRateLimited("good");
    await clock.advance(110);
    expect(await takeAll(queue)).toEqual(["bad", "good"]);
  });

  test("brings forward a key that was delayed for longer, within the common rate", async () => {
    const { clock, queue } = setUp({ retryRate: { perSecond: 1, burst: 1 } });
    for (const key of ["a", "b"]) {
      queue.addAfter(key, 3_600_000);
      queue.addRateLimited(key);
    }
    await clock.advance(110);
    expect(await takeAll(queue)).toEqual(["a"]);
    await clock.advance(890);
    expect(await takeAll(queue)).toEqual(["b"]);
  });
});

describe("a key that failed", () => {
  /** Its first failure: it comes back by itself after 110 ms, and rests for 20 ms. */
  async function failed(queue: WorkQueue, meanwhile: () => void = () => {}) {
    queue.add("a");
    await queue.get();
    meanwhile();
    queue.addRateLimited("a");
    queue.done("a");
  }

  test("is not brought back by an event before its rest is over, and sooner than by itself", async () => {
    const { clock, queue } = setUp();
    await failed(queue);
    queue.add("a");
    await clock.advance(19);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(["a"]);
    queue.done("a");
    await clock.advance(1000);
    expect(queue.depth).toBe(0);
  });

  test("nor by one that came while it was failing", async () => {
    const { clock, queue } = setUp();
    await failed(queue, () => queue.add("a"));
    expect(queue.depth).toBe(0);
    await clock.advance(20);
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  test("comes at once where it is urgent", async () => {
    const { queue } = setUp();
    await failed(queue, () => queue.add("a", { priority: 10 }));
    expect(await takeAll(queue)).toEqual(["a"]);
    queue.done("a");
    queue.add("a", { priority: 10 });
    expect(queue.depth).toBe(1);
  });

  test("is tried again behind others, though it will be urgent some day", async () => {
    const { clock, queue } = setUp();
    await failed(queue, () => queue.addAfter("a", 3_600_000, { priority: 10 }));
    await clock.advance(110);
    queue.add("b", { priority: 1 });
    expect(await takeAll(queue)).toEqual(["b", "a"]);
    queue.done("a");
    await clock.advance(3_600_000);
    expect(await queue.get()).toMatchObject({ key: "a", priority: 10 });
  });

  test("comes at once after it succeeded", async () => {
    const { queue } = setUp();
    await failed(queue);
    queue.forget("a");
    queue.add("a");
    expect(queue.depth).toBe(1);
  });

  test("waits for as long as it is told", async () => {
    const { clock, queue } = setUp();
    queue.addRateLimited("a", { atLeastMs: 4000 });
    await clock.advance(3999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
    expect(queue.retries("a")).toBe(1);
  });

  test("leaves nothing behind where the queue is shut down meanwhile", async () => {
    const { clock, queue } = setUp();
    await failed(queue, () => {
      queue.add("a");
      queue.shutDown();
    });
    queue.add("a");
    expect({ depth: queue.depth, timers: clock.timers }).toEqual({ depth: 0, timers: 0 });
  });
});

describe("shutDown and drain", () => {
  test("waiting workers go home, what waits or is delayed is dropped, nothing new is taken", async () => {
    const { clock, queue } = setUp();
    queue.add("processed");
    await queue.get();
    const gets = [queue.get(), queue.get()];
    queue.addAfter("delayed", 1000);
    queue.addRateLimited("failed");
    queue.add("processed");
    queue.shutDown();
    expect(await Promise.all(gets)).toEqual([undefined, undefined]);
    expect({ depth: queue.depth, timers: clock.timers }).toEqual({ depth: 0, timers: 0 });
    queue.add("late");
    queue.addAfter("late", 10);
    queue.addRateLimited("late");
    queue.done("processed");
    expect({ depth: queue.depth, timers: clock.timers }).toEqual({ depth: 0, timers: 0 });
    expect(await queue.get()).toBeUndefined();
  });

  test("keys that wait are not handed out any more", async () => {
    const { queue } = setUp();
    queue.add("a");
    queue.shutDown();
    queue.shutDown();
    expect(await queue.get()).toBeUndefined();
  });

  test("drain waits for what is processed", async () => {
    const { queue } = setUp();
    queue.add("a");
    queue.add("b");
    await queue.get();
    await queue.get();
    let drained = false;
    const drain = queue.drain().then(() => {
      drained = true;
    });
    queue.done("a");
    await settle();
    expect(drained).toBe(false);
    queue.done("b");
    await drain;
  });

  test("drain gives up at its deadline, and at once if nothing runs", async () => {
    const { queue } = setUp();
    queue.add("slow");
    await queue.get();
    const deadline = new AbortController();
    const drain = queue.drain(deadline.signal);
    deadline.abort(new Error("20 s are over"));
    await expect(drain).rejects.toThrow("20 s are over");
    queue.done("slow");
    await queue.drain(deadline.signal);
  });
});

describe("metrics", () => {
  test("tell adds, depth, waits, work and retries", async () => {
    const told: string[] = [];
    const metrics: QueueMetrics = {
      added: () => told.push("added"),
      depth: (waiting) => told.push(`depth ${waiting}`),
      started: (seconds) => told.push(`started ${seconds}`),
      finished: (seconds) => told.push(`finished ${seconds}`),
      retried: () => told.push("retried"),
    };
    const { clock, queue } = setUp({ metrics });
    const toldBy = async (call: () => unknown) => {
      told.length = 0;
      await call();
      return told.join(", ");
    };
    expect(await toldBy(() => queue.add("a"))).toBe("added, depth 1");
    expect(await toldBy(() => queue.add("a"))).toBe("");
    await clock.advance(2000);
    expect(await toldBy(() => queue.get())).toBe("depth 0, started 2");
    expect(await toldBy(() => queue.add("a"))).toBe("added, depth 1");
    expect(await toldBy(() => queue.add("a"))).toBe("");
    await clock.advance(500);
    expect(await toldBy(() => queue.done("a"))).toBe("finished 0.5");
    expect(await toldBy(() => queue.get())).toBe("depth 0, started 0.5");
    expect(await toldBy(() => queue.done("a"))).toBe("finished 0");
    expect(await toldBy(() => queue.addRateLimited("a"))).toBe("retried");
    expect(await toldBy(() => queue.addAfter("a", 5))).toBe("retried");
    expect(await toldBy(() => clock.advance(5))).toBe("added, depth 1");
    expect(await toldBy(() => queue.shutDown())).toBe("depth 0");
  });

  test("processing sums up what workers have in hand, and the longest", async () => {
    const { clock, queue } = setUp();
    queue.add("a");
    await queue.get();
    await clock.advance(3000);
    queue.add("b");
    await queue.get();
    queue.add("waits");
    await clock.advance(1000);
    expect(queue.processing()).toEqual({ unfinishedSeconds: 5, longestSeconds: 4 });
    queue.done("a");
    queue.done("b");
    expect(queue.processing()).toEqual({ unfinishedSeconds: 0, longestSeconds: 0 });
  });
});
