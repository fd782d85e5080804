import fc from "fast-check";
import { expect, test } from "vitest";
import { flagEnv, literalEnvValue } from "./flag-env.ts";

test.for([
  { flag: "flag{plain}", want: "flag{plain}" },
  { flag: "flag{$(HOME)}", want: "flag{$$(HOME)}" },
  { flag: "$", want: "$$" },
  { flag: "$$(HOME)", want: "$$$$(HOME)" },
  { flag: "$&$1$'$`", want: "$$&$$1$$'$$`" },
  { flag: "", want: "" },
])("the value of $flag is $want", ({ flag, want }) => {
  expect(flagEnv("FLAG", flag)).toEqual({ name: "FLAG", value: want });
});

test("a flag with a NUL is refused, and the error does not show it", () => {
  expect(() => flagEnv("FLAG", "s3cr\0et")).toThrow(
    "cannot hand over the flag: it contains the NUL character; create the instance without it",
  );
});

test("every text reaches the container as it is", () => {
  const dollars = fc
    .array(fc.constantFrom("$", "(", ")", "HOME", "x"), { maxLength: 12 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(dollars, fc.string({ unit: "binary" })), (text) => {
      expect(expandedByKubelet(literalEnvValue(text))).toBe(text);
    }),
    { numRuns: 300 },
  );
});

// What stands for the kubelet has to expand as it does, or the test above shows nothing.
test.for([
  { value: "$(HOME)", want: "/root" },
  { value: "$(NONE)", want: "$(NONE)" },
  { value: "$$(HOME)", want: "$(HOME)" },
  { value: "$$$(HOME)", want: "$/root" },
  { value: "$(HOME", want: "$(HOME" },
  { value: "$()", want: "$()" },
  { value: "a$b$", want: "a$b$" },
  { value: "$($(HOME))", want: "$($(HOME))" },
  { value: "$ $$ (HOME)", want: "$ $ (HOME)" },
])("the kubelet makes $want of $value", ({ value, want }) => {
  expect(expandedByKubelet(value)).toBe(want);
});

/** From left to right: `$$` is one `$`, `$(X)` the variable X where there is one, any other `$` itself. */
function expandedByKubelet(value: string): string {
  const variables = new Map([["HOME", "/root"]]);
  return value.replace(/\$(?:\$|\(([^)]*)\))/gs, (match, name?: string) =>
    match === "$$" ? "$" : (variables.get(name ?? "") ?? match),
  );
}
