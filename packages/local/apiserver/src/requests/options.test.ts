import { StatusError } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { readInteger } from "./address.ts";
import { readDeleteOptions } from "./delete-options.ts";
import { readListOptions, readWatchOptions } from "./list-options.ts";
import { parseAccept, parseMediaType } from "./media-type.ts";
import { readPatchOptions, readWriteOptions } from "./write-options.ts";

const query = (text: string) => new URLSearchParams(text);
function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("options of a write", () => {
  test.each([
    ["", { isDryRun: false, fieldValidation: "Warn" }],
    ["dryRun=All", { isDryRun: true, fieldValidation: "Warn" }],
    ["dryRun=All&dryRun=All", { isDryRun: true, fieldValidation: "Warn" }],
    ["fieldManager=me&fieldValidation=Strict", { isDryRun: false, fieldManager: "me", fieldValidation: "Strict" }],
    ["fieldManager=j%C3%BCrg%20x", { isDryRun: false, fieldManager: "jürg x", fieldValidation: "Warn" }],
    ["fieldValidation=", { isDryRun: false, fieldValidation: "Warn" }],
  ])("%s", (text, wanted) => expect(readWriteOptions(query(text), "CreateOptions")).toEqual(wanted));

  test.each([
    ["dryRun=Some", 'dryRun: Unsupported value: ["Some"]: supported values: "All"'],
    ["dryRun=All&dryRun=x", 'dryRun: Unsupported value: ["All","x"]: supported values: "All"'],
    ["fieldValidation=x", 'fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"'],
    [`fieldManager=${"é".repeat(65)}`, "fieldManager: Too long: may not be more than 128 bytes"],
    ["fieldManager=%C3%A9%0A", 'fieldManager: Invalid value: "é\\n": invalid character U+000A (at position 2)'],
  ])("%s is refused", (text, wanted) => {
    const refusal = refusalOf(() => readWriteOptions(query(text), "UpdateOptions"));
    expect(refusal).toBe(`422 UpdateOptions.meta.k8s.io "" is invalid: ${wanted}`);
  });

  test("a manager of 128 bytes is not too long", () => {
    expect(readWriteOptions(query(`fieldManager=${"a".repeat(128)}`), "CreateOptions").fieldManager).toHaveLength(128);
  });

  test("force is for apply alone, and apply needs a manager", () => {
    expect(readPatchOptions(query("force=true&fieldManager=x"), true)).toMatchObject({ force: true });
    expect(readPatchOptions(query("fieldManager=x&force=0"), true)).toMatchObject({ force: false });
    expect(refusalOf(() => readPatchOptions(query("force=false"), false))).toContain("may not be specified");
    expect(refusalOf(() => readPatchOptions(query(""), true))).toContain("is required for apply patch");
  });
});

describe("options of a delete", () => {
  test.each<[string, unknown, object]>([
    ["", undefined, { isDryRun: false }],
    [
      "dryRun=All&gracePeriodSeconds=0&propagationPolicy=Orphan",
      undefined,
      { isDryRun: true, gracePeriodSeconds: 0, propagationPolicy: "Orphan" },
    ],
    ["orphanDependents=false", undefined, { isDryRun: false, propagationPolicy: "Background", asksForCascade: true }],
    ["orphanDependents=true", undefined, { isDryRun: false, propagationPolicy: "Orphan" }],
    ["dryRun=All", {}, { isDryRun: false }],
    ["", { kind: "DeleteOptions", apiVersion: "v1", dryRun: ["All"] }, { isDryRun: true }],
    [
      "",
      { preconditions: { uid: "u", resourceVersion: "7" }, gracePeriodSeconds: null },
      { isDryRun: false, uid: "u", resourceVersion: "7" },
    ],
    ["", { unknown: 1, propagationPolicy: "Foreground" }, { isDryRun: false, propagationPolicy: "Foreground" }],
  ])("%s %j", (text, body, wanted) => expect(readDeleteOptions(query(text), body)).toEqual(wanted));

  test.each<[unknown, string]>([
    [
      { gracePeriodSeconds: 1.5 },
      "400 json: cannot unmarshal number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
    ],
    [{ preconditions: [] }, "400 json: cannot unmarshal array into Go value of type v1.Preconditions"],
    [
      { orphanDependents: "yes" },
      "400 json: cannot unmarshal string into Go struct field DeleteOptions.orphanDependents of type bool",
    ],
  ])("%j is refused", (body, wanted) => {
    expect(refusalOf(() => readDeleteOptions(query(""), body))).toBe(wanted);
  });
});

describe("options of a list and of a watch", () => {
  test("are read", () => {
    const list = readListOptions(
      query("limit=5&continue=c&labelSelector=a%3Db&resourceVersion=7&resourceVersionMatch=Exact"),
    );
    expect(list).toMatchObject({ limit: 5, continue: "c", resourceVersion: "7", resourceVersionMatch: "Exact" });
    expect(list.labelSelector?.matches({ a: "b" })).toBe(true);
    expect(readWatchOptions(query("timeoutSeconds=3&allowWatchBookmarks=true&sendInitialEvents=false"))).toEqual({
      allowBookmarks: true,
      timeoutSeconds: 3,
      sendInitialEvents: false,
    });
    expect(readWatchOptions(query(""))).toEqual({ allowBookmarks: false });
  });

  test("a watch of one object selects its name, whatever is in it", () => {
    const { fieldSelector } = readWatchOptions(query("fieldSelector=a%3Db"), "x,y=z");
    expect(fieldSelector?.requirements).toEqual([{ field: "metadata.name", operator: "=", value: "x,y=z" }]);
  });

  test.each([
    ["labelSelector=a%20b", /^400 unable to parse requirement: found 'b', expected: /],
    ["labelSelector=%22", /^400 unable to parse requirement: /],
    ["fieldSelector=a%3Db,c", /^400 invalid selector: 'a=b,c'; can't understand 'c'$/],
    ["sendInitialEvents=true", /^422 .*sendInitialEvents is forbidden for list$/],
  ])("%s is refused", (text, wanted) => expect(refusalOf(() => readListOptions(query(text)))).toMatch(wanted));
});

test.each<[string, number | string | undefined]>([
  ["", undefined],
  ["n=5", 5],
  ["n=-3", -3],
  ["n=%2B3", 3],
  ["n=", '400 strconv.ParseInt: parsing "": invalid syntax'],
  ["n=1e3", '400 strconv.ParseInt: parsing "1e3": invalid syntax'],
  ["n=9223372036854775808", '400 strconv.ParseInt: parsing "9223372036854775808": value out of range'],
])("the number in %j", (text, wanted) => {
  if (typeof wanted === "string") expect(refusalOf(() => readInteger(query(text), "n"))).toBe(wanted);
  else expect(readInteger(query(text), "n")).toBe(wanted);
});

describe("media types", () => {
  test.each([
    ["application/json", { type: "application/json", parameters: {} }],
    ["Application/JSON ; Charset=UTF-8;", { type: "application/json", parameters: { charset: "UTF-8" } }],
    ['a/b;x="1;\\"2"', { type: "a/b", parameters: { x: '1;"2' } }],
    ["*/*", { type: "*/*", parameters: {} }],
    ["application/json;foo", undefined],
    [";;;", undefined],
    ["", undefined],
    ["a b/c", undefined],
  ])("%j", (text, wanted) => expect(parseMediaType(text)).toEqual(wanted));

  test("that are endless are read in no time", () => {
    const before = process.threadCpuUsage();
    for (const text of [`a/b${";".repeat(1e6)}`, `a/b;x="${"\\\\".repeat(5e5)}`, `a/b;${" ".repeat(1e6)}!!`])
      expect(parseMediaType(text)).toBeUndefined();
    // Microseconds of the processor, which others may use meanwhile. Work that grows with the square would take hours.
    expect(process.threadCpuUsage(before).user).toBeLessThan(10_000_000);
  });

  test("come in the order in which they are dear", () => {
    const types = parseAccept("*/*, a/a;q=0.5, b/b;q=0.9, c/c, d/*;q=0.9, rubbish;;, e/e;q=x").map(({ type }) => type);
    expect(types).toEqual(["c/c", "e/e", "*/*", "b/b", "d/*", "a/a"]);
  });
});
