import fc from "fast-check";
import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

test("the next in line is called when the first leaves, and others are not", () => {
  const called: string[] = [];
  const turns = new Turns((key) => called.push(key));
  expect(["a", "b", "c"].map((key) => turns.take("line", key))).toEqual([true, false, false]);
  expect(turns.take("other", "d")).toBe(true);
  expect(turns.take("line", "a")).toBe(true);
  turns.leave("b");
  expect(called).toEqual([]);
  turns.leave("a");
  expect(called).toEqual(["b"]);
  // It did not want its turn any more.
  turns.leave("b");
  expect(called).toEqual(["b", "c"]);
  expect(turns.take("line", "c")).toBe(true);
});

test("there is one at a time, and everybody gets a turn, in whatever order they come and leave", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 40 }), (visits) => {
      const called: string[] = [];
      const turns = new Turns((key) => called.push(key));
      const served = new Set<string>();
      const visit = (key: string) => {
        if (turns.take("line", key)) served.add(key);
        turns.leave(key);
      };
      const [first = 0, ...rest] = visits.map((number) => `k${number}`);
      turns.take("line", `${first}`);
      for (const key of rest) if (key !== first) expect(turns.take("line", key)).toBe(false);
      turns.leave(`${first}`);
      for (let key = called.shift(); key; key = called.shift()) visit(key);
      expect([...served].sort()).toEqual([...new Set(rest.filter((key) => key !== first))].sort());
    }),
  );
});
