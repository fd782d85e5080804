import { isLabelValue } from "@berg/apimachinery";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSelector } from "./selector.ts";

test.each([
  ["shared", { tenant: undefined }],
  ["globalaccount:abcd-0001", { tenant: "abcd-0001" }],
  ["abcd-0001", { tenant: "abcd-0001" }],
  ["globalaccount:shared", { tenant: "shared" }],
  ["Shared", { tenant: "Shared" }],
])("%s", (text, want) => {
  expect(parseSelector(text)).toEqual(want);
});

test.each(["", "globalaccount:", "a b", "-a", "a/b", "ä", "global:x", "x".repeat(64), "globalaccount:globalaccount:a"])(
  "%j is refused with the value and the fix",
  (text) => {
    const { problem } = parseSelector(text) as { problem: string };
    expect(problem).toContain(JSON.stringify(text));
    expect(problem).toContain("globalaccount:<id>");
  },
);

test("whatever is let through can be a label, and never stands for nobody", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `globalaccount:${text}`),
      ),
      (text) => {
        const selector = parseSelector(text);
        if ("problem" in selector || selector.tenant === undefined) return;
        expect(selector.tenant).not.toBe("");
        expect(isLabelValue(selector.tenant)).toBe(true);
      },
    ),
  );
});
