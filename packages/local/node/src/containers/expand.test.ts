import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expand } from "./expand.ts";

const values = new Map([
  ["A", "1"],
  ["B", "$(A)"],
  ["", "empty"],
]);

describe("a text names variables", () => {
  // Asked of a real kubelet, but for the last ones.
  const cases = [
    { text: "$(A)-$(C)-$$(A)-$(Z", want: "1-$(C)-$(A)-$(Z" },
    { text: "$(B)", want: "$(A)" },
    { text: "$A $ $", want: "$A $ $" },
    { text: "$$", want: "$" },
    { text: "$$$(A)", want: "$1" },
    { text: "$$$$(A)", want: "$$(A)" },
    { text: "$()", want: "empty" },
    { text: "$(A)$(A)", want: "11" },
  ];
  test.each(cases)("$text is $want", ({ text, want }) => {
    expect(expand(text, values)).toBe(want);
  });

  test("with every dollar doubled, a text stays what it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(expand(text.replaceAll("$", "$$$$"), values)).toBe(text);
      }),
    );
  });
});
