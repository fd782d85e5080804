import { expect, test } from "vitest";
import { maskFlags } from "./mask-flags.ts";

const flag = "flag{one two}";

test.each([
  ["as it is", flag],
  ["as base64", Buffer.from(flag).toString("base64")],
  ["as hexadecimal digits", Buffer.from(flag).toString("hex")],
  ["percent-encoded", "flag%7Bone%20two%7D"],
])("a flag %s is masked", (_, written) => {
  const text = maskFlags(`GET /?x=${written} ok, again ${written}`, [flag]);
  expect(text).not.toContain(written);
  expect(text).toMatch(/^GET \/\?x=\[flag\]=* ok, again \[flag\]=*$/);
});

test("other text stays", () => {
  expect(maskFlags("flag{another}", [flag])).toBe("flag{another}");
});
