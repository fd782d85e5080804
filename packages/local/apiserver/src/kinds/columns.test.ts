import { expect, test } from "vitest";
import { humanDuration, selectorText, since } from "./columns.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  { ms: -5000, want: "<invalid>" },
  { ms: -1500, want: "0s" },
  { ms: 999, want: "0s" },
  { ms: 2 * minute - 1, want: "119s" },
  { ms: 2 * minute, want: "2m" },
  { ms: 9 * minute + 59_999, want: "9m59s" },
  { ms: 10 * minute + 5000, want: "10m" },
  { ms: 3 * hour - 1, want: "179m" },
  { ms: 3 * hour, want: "3h" },
  { ms: 8 * hour - 1, want: "7h59m" },
  { ms: 8 * hour + minute, want: "8h" },
  { ms: 48 * hour - 1, want: "47h" },
  { ms: 2 * day, want: "2d" },
  { ms: 8 * day - 1, want: "7d23h" },
  { ms: 8 * day + hour, want: "8d" },
  { ms: 730 * day - 1, want: "729d" },
  { ms: 730 * day, want: "2y" },
  { ms: 8 * 365 * day - 1, want: "7y364d" },
  { ms: 8 * 365 * day + day, want: "8y" },
])("$ms ms are $want", ({ ms, want }) => expect(humanDuration(ms)).toBe(want));

test("a time that is not known has no age", () => {
  expect([since(undefined, 0), since(null, 0), since("1970-01-01T00:00:00Z", 5000)]).toEqual([
    "<unknown>",
    "<unknown>",
    "5s",
  ]);
});

test("a selector is shown as kubectl takes it", () => {
  const expressions = [{ key: "b", operator: "In", values: ["y", "x"] }];
  expect(selectorText({ matchLabels: { a: "1" }, matchExpressions: expressions })).toBe("a=1,b in (x,y)");
});
