import { expect, test } from "vitest";
import { attributeErrors, errorsOfProblem, findFormErrors } from "./form-errors.ts";
import type { PlayerAttribute } from "./player-attributes.ts";

const country: PlayerAttribute = {
  name: "country",
  title: "Country",
  description: "",
  public: true,
  required: true,
  values: [{ value: "ch", title: "Switzerland", description: "" }],
};
const fields = ["name", "code", "attributes.country"];

test("finds what is empty", () => {
  const fieldsOf = (form: Parameters<typeof findFormErrors>[0]) => Object.keys(findFormErrors(form, [country]));
  expect(fieldsOf({ name: " ", code: "", attributes: {} })).toEqual(fields);
  expect(fieldsOf({ name: "gwen", attributes: { country: "ch" } })).toEqual([]);
});

test.each([
  { problem: { code: "invalid_request", field: "name", detail: "too long" }, want: { name: "too long" } },
  { problem: { code: "invalid_request", field: "/name", detail: "too long" }, want: { name: "too long" } },
  {
    problem: { code: "invalid_request", field: "attributes/country", detail: "unknown" },
    want: { "attributes.country": "unknown" },
  },
  { problem: { code: "registration_code_wrong", detail: "no" }, want: { code: "no" } },
  { problem: { code: "invalid_request", field: "other", detail: "no" }, want: {} },
  { problem: { code: "registration_full", detail: "no" }, want: {} },
])("$problem.code at $problem.field belongs to $want", ({ problem, want }) => {
  expect(errorsOfProblem(problem, fields)).toEqual(want);
});

test("gives the errors of attributes by their names", () => {
  expect(attributeErrors({ name: "a", "attributes.country": "b" })).toEqual({ country: "b" });
});
