import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { TimerHeap } from "./timer-heap.ts";

function setUp() {
  const clock = new FakeClock();
  const fired: { key: string; at: number }[] = [];
  const heap = new TimerHeap<string>(clock, (key) => fired.push({ key, at: clock.monotonic() }));
  return { clock, fired, heap };
}

describe("TimerHeap", () => {
  test("keys come when due and not before", async () => {
    const { clock, fired, heap } = setUp();
    heap.schedule("late", 200);
    heap.schedule("early", 100);
    await clock.advance(99);
    expect(fired).toEqual([]);
    await clock.advance(1000);
    expect(fired).toEqual([
      { key: "early", at: 100 },
      { key: "late", at: 200 },
    ]);
  });

  test("keys due at the same moment come in the order of scheduling", async () => {
    const { clock, fired, heap } = setUp();
    const keys = Array.from({ length: 50 }, (_, i) => `key ${i}`);
    for (const key of keys) heap.schedule(key, 10);
    await clock.advance(10);
    expect(fired.map(({ key }) => key)).toEqual(keys);
  });

  test("an earlier time replaces a later one, a later one changes nothing", async () => {
    const { clock, fired, heap } = setUp();
    heap.schedule("hastened", 500);
    heap.schedule("hastened", 100);
    heap.schedule("kept", 200);
    heap.schedule("kept", 900);
    expect(heap.size).toBe(2);
    await clock.advance(2000);
    expect(fired).toEqual([
      { key: "hastened", at: 100 },
      { key: "kept", at: 200 },
    ]);
  });

  test("a cancelled key can be scheduled later than before", async () => {
    const { clock, fired, heap } = setUp();
    heap.schedule("renewed", 100);
    expect(heap.cancel("renewed")).toBe(true);
    heap.schedule("renewed", 300);
    await clock.advance(1000);
    expect(fired).toEqual([{ key: "renewed", at: 300 }]);
    expect(heap.cancel("renewed")).toBe(false);
  });

  test("thousands of keys share one timer, and an empty heap has none", async () => {
    const { clock, fired, heap } = setUp();
    for (let i = 0; i < 10_000; i++) heap.schedule(`key ${i}`, 1000 + ((i * 7919) % 500));
    expect(clock.timers).toBe(1);
    for (let i = 0; i < 9000; i++) heap.cancel(`key ${i}`);
    expect({ timers: clock.timers, size: heap.size }).toEqual({ timers: 1, size: 1000 });
    await clock.advance(2000);
    expect(fired).toHaveLength(1000);
    expect(clock.timers).toBe(0);
  });

  test("clear and the last cancel leave no timer behind", () => {
    const { clock, heap } = setUp();
    heap.schedule("a", 10);
    heap.cancel("a");
    expect(clock.timers).toBe(0);
    heap.schedule("b", 10);
    heap.clear();
    expect({ timers: clock.timers, size: heap.size }).toEqual({ timers: 0, size: 0 });
  });

  test("a step of the wall clock neither hurries nor holds a key", async () => {
    const { clock, fired, heap } = setUp();
    heap.schedule("a", 100);
    clock.jumpWall(3_600_000);
    await clock.advance(99);
    expect(fired).toEqual([]);
    clock.jumpWall(-7_200_000);
    await clock.advance(1);
    expect(fired).toEqual([{ key: "a", at: 100 }]);
  });

  test("a timer that fires early does not bring its key early", async () => {
    const clock = new FakeClock();
    const setTimer = clock.setTimer.bind(clock);
    clock.setTimer = (delayMs, fire) => setTimer(Math.max(1, Math.floor(delayMs) - 1), fire);
    const fired: number[] = [];
    const heap = new TimerHeap<string>(clock, () => fired.push(clock.monotonic()));
    heap.schedule("a", 10.5);
    await clock.advance(100);
    expect(fired).toHaveLength(1);
    expect(fired[0]).toBeGreaterThanOrEqual(10.5);
  });

  test("a key that re-schedules itself at once lets others have their turn", async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    const heap: TimerHeap<string> = new TimerHeap(clock, (key) => {
      fired.push(key);
      if (fired.length < 5) heap.schedule(key, 0);
    });
    heap.schedule("greedy", 1);
    clock.setTimer(1, () => fired.push("other timer"));
    await clock.advance(1);
    expect(fired[1]).toBe("other timer");
    expect(fired).toHaveLength(5);
  });

  test("keys behind one whose handler throws still come", async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    const heap = new TimerHeap<string>(clock, (key) => {
      if (key === "bad") throw new Error("bad key");
      fired.push(key);
    });
    heap.schedule("bad", 5);
    heap.schedule("good", 5);
    await expect(clock.advance(5)).rejects.toThrow("bad key");
    await clock.advance(5);
    expect(fired).toEqual(["good"]);
  });

  test("a handler may cancel others and clear", async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    const heap: TimerHeap<string> = new TimerHeap(clock, (key) => {
      fired.push(key);
      if (key === "a") heap.cancel("b");
      if (key === "c") heap.clear();
    });
    for (const key of ["a", "b", "c", "d"]) heap.schedule(key, 5);
    await clock.advance(10);
    expect(fired).toEqual(["a", "c"]);
    expect(clock.timers).toBe(0);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses a delay of %s", (delayMs) => {
    expect(() => setUp().heap.schedule("a", delayMs)).toThrow(/cannot schedule a in .* must be a finite number/);
  });

  test("says how long a key still waits", async () => {
    const { clock, heap } = setUp();
    heap.schedule("a", 100);
    await clock.advance(30);
    expect([heap.dueIn("a"), heap.dueIn("b")]).toEqual([70, undefined]);
  });

  test("behaves as a sorted list does, for any sequence of calls", async () => {
    // Enough keys for a heap of some depth, where the one that fills a gap may have to rise.
    const key = fc.nat(40).map((n) => `key ${n}`);
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ schedule: key, delay: fc.integer({ min: -5, max: 60 }) }) },
      { weight: 2, arbitrary: fc.record({ cancel: key }) },
      { weight: 1, arbitrary: fc.record({ advance: fc.integer({ min: 0, max: 20 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150, size: "max" }), async (steps) => {
        const { clock, fired, heap } = setUp();
        let model: { key: string; at: number }[] = [];
        const want: typeof fired = [];
        const elapse = (until: number) => {
          want.push(...model.filter(({ at }) => at <= until));
          model = model.filter(({ at }) => at > until);
        };
        for (const step of steps) {
          if ("schedule" in step) {
            const at = clock.monotonic() + Math.max(0, step.delay);
            const known = model.find((entry) => entry.key === step.schedule);
            if (!known || at < known.at) {
              model = model.filter((entry) => entry !== known);
              // A stable sort keeps those of the same moment in order.
              model = [...model, { key: step.schedule, at }].sort((a, b) => a.at - b.at);
            }
            heap.schedule(step.schedule, step.delay);
          } else if ("cancel" in step) {
            expect(heap.cancel(step.cancel)).toBe(model.some((entry) => entry.key === step.cancel));
            model = model.filter((entry) => entry.key !== step.cancel);
          } else {
            elapse(clock.monotonic() + step.advance);
            await clock.advance(step.advance);
          }
          expect(heap.size).toBe(model.length);
          expect(clock.timers).toBe(model.length > 0 ? 1 : 0);
        }
        elapse(Number.POSITIVE_INFINITY);
        await clock.advance(1000);
        expect(fired).toEqual(want);
      }),
      { numRuns: 200 },
    );
  });
});
