import { expect, test } from "vitest";
import { Lately } from "./lately.ts";

function counting(limit: number) {
  const lately = new Lately<number>(limit);
  let count = 0;
  return (key: string, ...inputs: unknown[]) => lately.of(key, inputs, () => ++count);
}

test("whoever asks the same again gets the same", () => {
  const ask = counting(2);
  const workload = {};
  expect([ask("a", "flag", workload), ask("a", "flag", workload)]).toEqual([1, 1]);
});

test("another input, or one more, is another question", () => {
  const ask = counting(2);
  expect([ask("a", {}), ask("a", {}), ask("a", "x"), ask("a", "x", undefined)]).toEqual([1, 2, 3, 4]);
});

test("the one that nobody has asked for longest goes first", () => {
  const ask = counting(2);
  expect([ask("a"), ask("b"), ask("a"), ask("c")]).toEqual([1, 2, 1, 3]);
  expect([ask("a"), ask("b")]).toEqual([1, 4]);
});

test("what could not be worked out is tried again", () => {
  const lately = new Lately<number>(2);
  const fail = () => {
    throw new Error("no");
  };
  expect(() => lately.of("a", [], fail)).toThrow("no");
  expect(lately.of("a", [], () => 1)).toBe(1);
});
