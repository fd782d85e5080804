/** What there is room for beside what is urgent. */
import { describe, expect, test, vi } from "vitest";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import type { AtOnce } from "./room.ts";
import { WorkQueue } from "./work-queue.ts";

/** Four workers, who finish nothing by themselves. */
async function withWorkers(atOnce: () => AtOnce, keys: string[] = []) {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock, random: () => 0.5, atOnce });
  const taken: string[] = [];
  for (let worker = 0; worker < 4; worker++) void queue.get().then((one) => one && taken.push(one.key));
  const add = async (priority: number, ...keys: string[]) => {
    for (const key of keys) queue.add(key, { priority });
    await settle();
  };
  const done = async (key: string) => {
    queue.done(key);
    await settle();
  };
  await add(0, ...keys);
  return { clock, queue, taken, add, done };
}

const ordinary = (most: number): AtOnce => ({ ordinary: most, leisurely: most });

describe("what is not urgent", () => {
  test("leaves the other workers free for what is, also where that was not at first", async () => {
    const { taken, add, done } = await withWorkers(() => ordinary(1), ["a", "b", "c"]);
    expect(taken).toEqual(["a"]);
    await add(1, "end", "c");
    expect(taken).toEqual(["a", "end", "c"]);
    await done("end");
    expect(taken).toEqual(["a", "end", "c"]);
    await done("a");
    expect(taken).toEqual(["a", "end", "c", "b"]);
  });

  test("is not held up by what is leisurely, nor the other way round", async () => {
    const { taken, add, done } = await withWorkers(() => ({ ordinary: 1, leisurely: 1 }));
    await add(-1, "slow", "slow 2");
    await add(0, "a", "b");
    expect(taken).toEqual(["slow", "a"]);
    await done("a");
    expect(taken).toEqual(["slow", "a", "b"]);
    await done("slow");
    expect(taken).toEqual(["slow", "a", "b", "slow 2"]);
  });

  test("goes on while nothing leisurely may", async () => {
    const { taken, add, clock } = await withWorkers(() => ({ ordinary: 2, leisurely: 0 }));
    await add(-1, "slow");
    await add(0, "a");
    await clock.advance(1000);
    expect(taken).toEqual(["a"]);
    await add(0, "slow");
    expect(taken).toEqual(["a", "slow"]);
  });

  test("may be more whenever a worker is done", async () => {
    let most = 1;
    const { taken, done } = await withWorkers(() => ordinary(most), ["a", "b", "c", "d"]);
    expect(taken).toEqual(["a"]);
    most = 2;
    await done("a");
    expect(taken).toEqual(["a", "b", "c"]);
  });

  test.each([0, 1])("may be more now and then, where it is %i and nothing else happens", async (few) => {
    let most = few;
    const { clock, taken } = await withWorkers(() => ordinary(most), ["a", "b", "c", "d"]);
    await clock.advance(1000);
    expect(taken.length).toBe(few);
    most = 3;
    await clock.advance(50);
    expect(taken).toEqual(["a", "b", "c"]);
  });

  test.each([
    { how: "the queue is shut down", end: (queue: WorkQueue) => queue.shutDown() },
    { how: "nothing waits for it", end: (queue: WorkQueue) => queue.add("a", { priority: 1 }) },
  ])("is no longer asked for once $how", async ({ end }) => {
    const atOnce = vi.fn(() => ordinary(0));
    const { clock, queue } = await withWorkers(atOnce, ["a"]);
    end(queue);
    await clock.advance(50);
    atOnce.mockClear();
    await clock.advance(1000);
    expect([atOnce.mock.calls.length, clock.timers]).toEqual([0, 0]);
  });

  test("takes no room once it is abandoned, and stays with the one who has it", async () => {
    const { queue, taken, add, done } = await withWorkers(() => ordinary(1), ["a", "b"]);
    queue.abandon("a");
    await add(0, "a");
    expect(taken).toEqual(["a", "b"]);
    await done("a");
    expect(taken).toEqual(["a", "b"]);
    await done("b");
    expect(taken).toEqual(["a", "b", "a"]);
  });
});
