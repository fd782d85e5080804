import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fieldErrors, fieldName, formatFieldError } from "./field-error.ts";
import { text } from "./fields.ts";

test.each([
  [[], ""],
  [["spec"], "spec"],
  [["spec", "ports", 0, "name"], "spec.ports[0].name"],
])("the path %j is called %j", (path, want) => {
  expect(fieldName(path)).toBe(want);
});

describe("a secret", () => {
  const secret = "do-not-tell";
  const schemas = {
    pattern: text({ max: 99, pattern: /^x$/, must: "must be x" }),
    enum: z.enum(["x"]),
    union: z.union([text({ max: 99, pattern: /^x$/ }), z.int()]),
    length: text({ max: 1 }),
    type: z.int(),
  };

  test.each(Object.entries(schemas))("is not quoted where its %s is wrong", (_, schema) => {
    for (const name of ["flag", "environment"]) {
      const root = { [name]: secret };
      const errors = fieldErrors(z.strictObject({ [name]: schema }).safeParse(root).error?.issues ?? [], root);
      expect(errors.map(({ field }) => field)).toEqual([name]);
      expect(errors.map(formatFieldError).join()).not.toContain(secret);
    }
  });
});
