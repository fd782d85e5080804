import { expect, test } from "vitest";
import { inParallel } from "./in-parallel.ts";

const items = Array.from({ length: 25 }, (_, index) => index);

test("every item is tried before the first failure is thrown", async () => {
  const tried: number[] = [];
  const work = async (item: number) => {
    await Promise.resolve();
    tried.push(item);
    if (item < 10) throw new Error(`item ${item}`);
  };
  await expect(inParallel(items, new AbortController().signal, work)).rejects.toThrow("item 0");
  expect(tried).toEqual(items);
});

test("no more than ten are under way at a time", async () => {
  let [running, most] = [0, 0];
  await inParallel(items, new AbortController().signal, async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
  });
  expect(most).toBe(10);
});

test("once aborted, no further one is begun", async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    await Promise.resolve();
    stop.abort(new Error("told to stop"));
  };
  await expect(inParallel(items, stop.signal, work)).rejects.toThrow("told to stop");
  expect(begun).toHaveLength(10);
});
