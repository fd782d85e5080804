import { expect, test } from "vitest";
import { compare } from "./figure.ts";
import { formatJson, formatTable } from "./report.ts";

const figures = [
  compare({
    name: "informer, beside JSON.parse",
    unit: "frames/s",
    value: 31_204.4,
    beside: 52_000,
    goal: { atLeast: 0.5 },
  }),
  compare({ name: "memory", unit: "MiB", value: 88.25, beside: 40.5, goal: { atMost: 1 } }),
  compare({ name: "pause", unit: "ms", value: 0.01234, beside: 1.5, goal: { atMost: 1 } }),
];

test("the table lines up names to the left and numbers to the right", () => {
  expect(formatTable(figures)).toBe(
    [
      "figure                       measured  beside  unit      ratio  goal    met",
      "informer, beside JSON.parse    31,204  52,000  frames/s   0.60  >= 0.5  yes",
      "memory                           88.3    40.5  MiB        2.18  <= 1    NO",
      "pause                          0.0123    1.50  ms         0.01  <= 1    yes",
      "",
    ].join("\n"),
  );
});

test("the JSON is one object with exactly the fields of the contract", () => {
  const parsed = JSON.parse(formatJson(figures));
  expect(Object.keys(parsed)).toEqual(["figures"]);
  expect(parsed.figures).toEqual(figures);
  for (const figure of parsed.figures) {
    expect(Object.keys(figure)).toEqual(["name", "value", "unit", "beside", "ratio", "goal", "met"]);
  }
});
