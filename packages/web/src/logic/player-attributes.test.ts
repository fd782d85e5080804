import { expect, test } from "vitest";
import { missingAttributes, type PlayerAttribute } from "./player-attributes.ts";

function attribute(name: string, required: boolean): PlayerAttribute {
  const values = ["a", "b"].map((value) => ({ value, title: value, description: "" }));
  return { name, title: name, description: "", public: false, required, values };
}

const asked = [attribute("country", true), attribute("level", true), attribute("shirt", false)];

test.each([
  { given: {}, want: ["country", "level"] },
  { given: { country: "a" }, want: ["level"] },
  { given: { country: "a", level: "gone" }, want: ["level"] },
  { given: { country: "a", level: "b" }, want: [] },
])("$given lacks $want", ({ given, want }) => {
  expect(missingAttributes(asked, given as Record<string, string>).map(({ name }) => name)).toEqual(want);
});
