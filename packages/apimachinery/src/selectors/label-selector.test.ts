import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseError } from "../parse-error.ts";
import { parseLabelSelector } from "./label-parser.ts";
import type { Labels } from "./label-requirement.ts";
import {
  compileLabelSelector,
  compileNodeExpressions,
  type LabelExpression,
  type LabelSelector,
  selectEverything,
  selectNothing,
} from "./label-selector.ts";

const key = fc.constantFrom("a", "b", "in", "berg.norelect.ch/owner-id", "constructor");
const value = fc.constantFrom("", "x", "y", "notin", "7");
const labels = fc.dictionary(key, value);
const expression: fc.Arbitrary<LabelExpression> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom("In", "NotIn"), values: fc.array(value, { minLength: 1, maxLength: 4 }) }),
  fc.record({ key, operator: fc.constantFrom("Exists", "DoesNotExist") }),
);
const selector: fc.Arbitrary<LabelSelector> = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 4 }) },
  { requiredKeys: [] },
);

/** The rules of Kubernetes' documentation, word by word. */
function holds({ key, operator, values = [] }: LabelExpression, set: Labels): boolean {
  const present = Object.hasOwn(set, key);
  const listed = present && values.includes(set[key] ?? "");
  return { In: listed, NotIn: !listed, Exists: present, DoesNotExist: !present }[operator] ?? false;
}

describe("compileLabelSelector", () => {
  test("takes an absent selector for nothing, and an empty one for everything", () => {
    expect(compileLabelSelector(undefined)).toBe(selectNothing);
    expect(compileLabelSelector(null)).toBe(selectNothing);
    expect(compileLabelSelector({})).toBe(selectEverything);
    expect(compileLabelSelector({ matchLabels: {}, matchExpressions: [] })).toBe(selectEverything);
  });

  test("prints labels and expressions in one order, each value once", () => {
    const compiled = compileLabelSelector({
      matchLabels: { tier: "front", app: "web" },
      matchExpressions: [
        { key: "zone", operator: "In", values: ["b", "a", "b"] },
        { key: "legacy", operator: "DoesNotExist" },
        { key: "app", operator: "Exists", values: [] },
        { key: "env", operator: "NotIn", values: ["dev"] },
      ],
    });
    expect(compiled.toString()).toBe("app=web,app,env notin (dev),!legacy,tier=front,zone in (a,b)");
  });

  test.each<{ expression: LabelExpression; want: string }>([
    {
      expression: { key: "a", operator: "Gt", values: ["1"] },
      want: '"Gt" is not an operator (In, NotIn, Exists, Doe',
    },
    { expression: { key: "a", operator: "constructor" }, want: '"constructor" is not an operator' },
    { expression: { key: "a", operator: "In" }, want: 'cannot read label selector "a": a in needs at least one value' },
    { expression: { key: "a", operator: "NotIn", values: [] }, want: "a notin needs at least one value" },
    { expression: { key: "a", operator: "Exists", values: ["x"] }, want: "that a exists or not takes no value" },
    { expression: { key: "a", operator: "In", values: ["x y"] }, want: '"x y" is not a label value' },
    { expression: { key: "a b", operator: "Exists" }, want: '"a b" is not a key' },
  ])("refuses $expression", ({ expression, want }) => {
    expect(() => compileLabelSelector({ matchExpressions: [expression] })).toThrow(ParseError);
    expect(() => compileLabelSelector({ matchExpressions: [expression] })).toThrow(want);
  });

  test("refuses a label that no object can have", () => {
    expect(() => compileLabelSelector({ matchLabels: { a: "-" } })).toThrow(
      'cannot read label selector "a": "-" is not a label value',
    );
  });

  test("matches where every label and every expression does", () => {
    fc.assert(
      fc.property(selector, labels, (object, set) => {
        const asExpressions = Object.entries(object.matchLabels ?? {}).map(([key, only]) => ({
          key,
          operator: "In",
          values: [only],
        }));
        const all = [...asExpressions, ...(object.matchExpressions ?? [])];
        expect(compileLabelSelector(object).matches(set)).toBe(all.every((each) => holds(each, set)));
      }),
      { numRuns: 1000 },
    );
  });

  test("prints what is read as the same selector", () => {
    fc.assert(
      fc.property(selector, labels, (object, set) => {
        const compiled = compileLabelSelector(object);
        const read = parseLabelSelector(compiled.toString());
        expect(read.requirements).toEqual(compiled.requirements);
        expect(read.matches(set)).toBe(compiled.matches(set));
      }),
    );
  });
});

describe("selectNothing", () => {
  test("matches no labels, and is still nothing after it was printed and sent", () => {
    fc.assert(
      fc.property(fc.oneof(labels, fc.constant({ nothing: "" })), (set) => {
        expect(selectNothing.matches(set)).toBe(false);
        expect(parseLabelSelector(selectNothing.toString()).matches(set)).toBe(false);
        expect(selectEverything.matches(set)).toBe(true);
      }),
    );
    expect([selectNothing.matches(undefined), selectEverything.matches(undefined)]).toEqual([false, true]);
    expect([selectNothing.toString(), selectEverything.toString()]).toEqual(["nothing,!nothing", ""]);
  });
});

describe("compileNodeExpressions", () => {
  test("also compares integers", () => {
    const compiled = compileNodeExpressions([
      { key: "cores", operator: "Gt", values: ["3"] },
      { key: "cores", operator: "Lt", values: ["9"] },
      { key: "arch", operator: "In", values: ["amd64"] },
    ]);
    expect(compiled.toString()).toBe("arch in (amd64),cores>3,cores<9");
    expect(compiled.matches({ arch: "amd64", cores: "4" })).toBe(true);
    expect(compiled.matches({ arch: "amd64", cores: "3" })).toBe(false);
    expect(compiled.matches({ arch: "amd64", cores: "10" })).toBe(false);
  });

  test("select no node where there are none", () => {
    expect(compileNodeExpressions([])).toBe(selectNothing);
    expect(compileNodeExpressions(undefined)).toBe(selectNothing);
  });

  test.each([[[]], [["1", "2"]], [["many"]]])("refuses Gt with %j", (values) => {
    expect(() => compileNodeExpressions([{ key: "cores", operator: "Gt", values }])).toThrow(ParseError);
  });
});
