import { expect, test } from "vitest";
import { goFloat, goText } from "./go-text.ts";

test.each([
  [undefined, "null"],
  [null, "null"],
  [true, "true"],
  [1, "1"],
  [4000000000, "4000000000"],
  [-(2 ** 63), "-9223372036854775808"],
  [1.5, "1.5"],
  [1234567.5, "1.2345675e+06"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [1e30, "1e+30"],
  ["a", '"a"'],
  ['q"\\\t\u0001\u007f\u00a0\u2028é😀\v', '"q\\"\\\\\\t\\x01\\x7f\\u00a0\\u2028é😀\\v"'],
  ["<&>", '"<&>"'],
  [{ b: "<&>", a: [1] }, '{"b":"\\u003c\\u0026\\u003e","a":[1]}'],
])("%j is shown as %s", (value, wanted) => {
  expect(goText(value)).toBe(wanted);
});

test("as a float a whole number has an exponent too", () => {
  expect([0, 1, 3e9, 999999].map(goFloat)).toEqual(["0", "1", "3e+09", "999999"]);
});
