import fc from "fast-check";
import { expect, test } from "vitest";
import { newInstanceId } from "./instance-id.ts";

const random = fc.infiniteStream(fc.double({ min: 0, max: 0.999999999999, noNaN: true })).map((stream) => {
  return () => stream.next().value as number;
});
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test("it is a UUID of version 7", () => {
  fc.assert(
    fc.property(time, random, (now, random) => {
      expect(newInstanceId(now, random)).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }),
  );
});

test("those that are made later sort later", () => {
  fc.assert(
    fc.property(time, time, random, (one, other, random) => {
      fc.pre(one < other);
      expect(newInstanceId(one, random) < newInstanceId(other, random)).toBe(true);
    }),
  );
});

test("those of one moment differ by all bits that are not given", () => {
  const low = newInstanceId(1, () => 0);
  const high = newInstanceId(1, () => 0.999999);
  expect(low).toBe("00000000-0001-7000-8000-000000000000");
  expect(high).toBe("00000000-0001-7fff-bfff-ffffffffffff");
});
