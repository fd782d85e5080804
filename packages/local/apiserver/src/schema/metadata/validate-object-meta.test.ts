// What stands in the snapshots is what a real API server answers: validate-object-meta.real.test.ts shows it.
import type { ObjectMeta } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { FieldError } from "../../errors/field-error.ts";
import { changedMetadata, newMetadata } from "../testing/metadata.ts";
import { label1035Problems, labelProblems, pathSegmentProblems, subdomainProblems } from "./names.ts";
import { type MetaRules, validateObjectMeta } from "./validate-object-meta.ts";

const rules = { namespaced: true, nameProblems: subdomainProblems };
const short = (text: string) => text.replace(/(x|a)\1{30,}/g, "$1…");

function told(errors: readonly FieldError[]): string[] {
  return errors.map(({ reason, field, message }) => short(`${reason} ${field}: ${message}`));
}

describe("new metadata", () => {
  test.each(Object.entries(newMetadata))("%s", (_, given) => {
    const metadata = { name: "x", namespace: "default", ...given } as ObjectMeta;
    expect(told(validateObjectMeta(metadata, { ...rules, isBuiltIn: true }))).toMatchSnapshot();
  });
});

describe("changed metadata", () => {
  const stored: ObjectMeta = {
    name: "x",
    namespace: "default",
    uid: "u",
    generation: 2,
    creationTimestamp: "2020-01-01T00:00:00Z",
  };

  test.each(Object.entries(changedMetadata))("%s", (_, given) => {
    expect(told(validateObjectMeta({ ...stored, ...given }, { ...rules, old: stored }))).toMatchSnapshot();
  });

  test.each([
    ["name", "y"],
    ["namespace", "other"],
    ["uid", "v"],
    ["creationTimestamp", "2021-01-01T00:00:00Z"],
    ["deletionGracePeriodSeconds", 3],
  ])("%s does not change", (field, value) => {
    const errors = validateObjectMeta({ ...stored, [field]: value }, { ...rules, old: stored });
    expect(errors[0]).toEqual({
      reason: "FieldValueInvalid",
      field: `metadata.${field}`,
      message: `Invalid value: ${JSON.stringify(value)}: field is immutable`,
    });
  });

  test("the generation does not go back", () => {
    const [error] = validateObjectMeta({ ...stored, generation: 1 }, { ...rules, old: stored });
    expect(error).toMatchObject({ field: "metadata.generation", message: "Invalid value: 1: must not be decremented" });
  });

  test("no finalizers come while the object goes", () => {
    const old = { ...stored, deletionTimestamp: "2020-01-01T00:00:00Z", finalizers: ["a/b"] };
    const changed = { ...old, finalizers: ["a/b", "a/d", "a/c", "a/c"] };
    const [error] = validateObjectMeta(changed, { ...rules, old });
    expect(error?.message).toBe(
      'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/c", "a/d"}',
    );
    expect(validateObjectMeta({ ...old, finalizers: [] }, { ...rules, old })).toEqual([]);
  });
});

describe("where it stands", () => {
  test.each<[string, Partial<MetaRules>, Partial<ObjectMeta>, string[]]>([
    [
      "no name",
      {},
      { name: "" },
      ["FieldValueRequired metadata.name: Required value: name or generateName is required"],
    ],
    ["no namespace", {}, { namespace: "" }, ["FieldValueRequired metadata.namespace: Required value"]],
    [
      "a bad namespace",
      {},
      { namespace: "a.b" },
      ['FieldValueInvalid metadata.namespace: Invalid value: "a.b": must not contain dots'],
    ],
    [
      "a namespace too much",
      { namespaced: false },
      {},
      ["FieldValueForbidden metadata.namespace: Forbidden: not allowed on this type"],
    ],
    [
      "another path",
      { path: "spec.e.metadata" },
      { name: "" },
      ["FieldValueRequired spec.e.metadata.name: Required value: name or generateName is required"],
    ],
    [
      "a negative generation",
      {},
      { generation: -1 },
      ["FieldValueInvalid metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
    ],
    [
      "managers",
      {},
      { managedFields: [{ operation: "X", fieldsType: "Y", manager: "m".repeat(129), subresource: "s".repeat(257) }] },
      [
        'FieldValueInvalid metadata.managedFields[0].operation: Invalid value: "X": must be `Apply` or `Update`',
        'FieldValueInvalid metadata.managedFields[0].fieldsType: Invalid value: "Y": must be `FieldsV1`',
        "FieldValueTooLong metadata.managedFields[0].manager: Too long: may not be more than 128 bytes",
        "FieldValueTooLong metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes",
      ],
    ],
  ])("%s", (_, more, given, wanted) => {
    expect(told(validateObjectMeta({ name: "x", namespace: "default", ...given }, { ...rules, ...more }))).toEqual(
      wanted,
    );
  });
});

test.each([
  [labelProblems("abc"), []],
  [labelProblems("a".repeat(64)), ["must be no more than 63 characters"]],
  [labelProblems("A")[0]?.slice(0, 34), "a lowercase RFC 1123 label must co"],
  [label1035Problems("a1"), []],
  [label1035Problems("1a")[0]?.slice(0, 33), "a DNS-1035 label must consist of "],
  [pathSegmentProblems(".."), ["may not be '..'"]],
  [pathSegmentProblems("a/b%"), ["may not contain '/'", "may not contain '%'"]],
])("names: %j", (problems, wanted) => {
  expect(problems).toEqual(wanted);
});
