import fc from "fast-check";
import { expect, test } from "vitest";
import { canBeHidden, formsOf, withoutForms } from "./without-flag.ts";

const flag = 'flag{c$nary "<&>" \\ é}';
const hide = (text: string) => withoutForms(text, formsOf(flag));
const doubled = flag.replaceAll("$", "$$$$");

test.each([
  ["as it is", `env FLAG=${flag} is bad`],
  ["as a variable of ours has it", `env FLAG=${doubled} is bad`],
  ["in JSON", JSON.stringify({ env: flag })],
  ["as a variable in JSON", JSON.stringify({ env: doubled })],
  ["in JSON in JSON", JSON.stringify(JSON.stringify({ env: flag }))],
  ["in JSON as Go writes it", JSON.stringify({ env: flag }).replace("<&>", "\\u003c\\u0026\\u003e")],
  ["in a URL", `https://example.com/?flag=${encodeURIComponent(flag)}`],
  ["in hex", Buffer.from(flag).toString("hex")],
  ["in base64", Buffer.from(flag).toString("base64")],
])("a flag is taken out %s", (_, text) => {
  const safe = hide(text);
  expect(safe).toContain("[flag]");
  expect(safe).not.toMatch(/c\$|nary|636e|Y2/);
});

test("a flag is taken out of base64 wherever it stands in it, but for a letter or two at its ends", () => {
  const around = fc.string({ unit: "binary-ascii", maxLength: 20 });
  fc.assert(
    fc.property(around, around, (before, after) => {
      const safe = hide(Buffer.from(`${before}${flag}${after}`).toString("base64"));
      expect(safe).toContain("[flag]");
    }),
  );
});

test("what has nothing to do with it stays as it is", () => {
  expect(hide("the image web:1 cannot be pulled: flag unknown")).toBe("the image web:1 cannot be pulled: flag unknown");
});

test("no form of a flag that is long enough is so short that it occurs by chance", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, maxLength: 40 }), (flag) => {
      expect(canBeHidden(flag)).toBe(true);
      for (const form of formsOf(flag)) expect(form.length).toBeGreaterThanOrEqual(8);
    }),
  );
});
