import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FieldSet } from "./field-set.ts";
import { readFieldsV1, writeFieldsV1 } from "./fields-v1.ts";
import { keyElement, showPath, sortElements, valueElement } from "./path-element.ts";

const set = readFieldsV1;
const text = (fields: FieldSet) => JSON.stringify(writeFieldsV1(fields));

const element = fc.oneof(
  fc.string().map((name) => `f:${name}`),
  fc.oneof(fc.string(), fc.integer(), fc.boolean()).map(valueElement),
  fc.tuple(fc.string(), fc.integer()).map(([name, number]) =>
    keyElement([
      ["a", name],
      ["b", number],
    ]),
  ),
  fc.nat(20).map((index) => `i:${index}`),
);
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const anySet = fc.array(path, { maxLength: 8 }).map((paths) => FieldSet.of(...paths));
const paths = (fields: FieldSet) => [...fields.paths()];

describe("a set of fields", () => {
  test("has what was added, and not what is above or below it", () => {
    const fields = FieldSet.of(["f:a", "f:b"], ["f:c"]);
    expect(fields.has(["f:a", "f:b"])).toBe(true);
    expect(fields.has(["f:a"])).toBe(false);
    expect(fields.has(["f:a", "f:b", "f:c"])).toBe(false);
    expect(fields.has([])).toBe(false);
  });

  test("of nothing is empty, also where the object as a whole was added", () => {
    expect(FieldSet.of([]).isEmpty()).toBe(true);
    expect(
      FieldSet.of(["f:a"])
        .difference(FieldSet.of(["f:a"]))
        .isEmpty(),
    ).toBe(true);
  });

  test.each([
    ["difference", '{"f:a":{".":{},"f:b":{}}}', '{"f:a":{}}', '{"f:a":{"f:b":{}}}'],
    ["difference", '{"f:a":{".":{},"f:b":{}}}', '{"f:a":{"f:b":{}}}', '{"f:a":{}}'],
    ["difference", '{"f:a":{"f:b":{}}}', '{"f:c":{}}', '{"f:a":{"f:b":{}}}'],
    ["without", '{"f:a":{".":{},"f:b":{}},"f:c":{}}', '{"f:a":{}}', '{"f:c":{}}'],
    ["without", '{"f:a":{"f:b":{},"f:c":{}}}', '{"f:a":{"f:b":{}}}', '{"f:a":{"f:c":{}}}'],
    ["union", '{"f:a":{}}', '{"f:a":{"f:b":{}}}', '{"f:a":{".":{},"f:b":{}}}'],
    ["union", '{"f:a":{"f:b":{}}}', '{"f:a":{}}', '{"f:a":{".":{},"f:b":{}}}'],
    ["intersection", '{"f:a":{".":{},"f:b":{}},"f:c":{}}', '{"f:a":{"f:b":{},"f:d":{}}}', '{"f:a":{"f:b":{}}}'],
    ["intersection", '{"f:a":{"f:b":{}}}', '{"f:a":{}}', "{}"],
  ] as const)("%s of %s and %s is %s", (operation, a, b, expected) => {
    expect(text(set(JSON.parse(a))[operation](set(JSON.parse(b))))).toBe(expected);
  });

  test("lists paths as Kubernetes does: of each object its own fields, then what is below them", () => {
    const fields = set({
      "f:b": { ".": {}, "f:x": {} },
      "f:a": { "f:y": {}, 'k:{"n":"q"}': { "f:z": {} } },
      "f:c": {},
    });
    expect(paths(fields).map(showPath)).toEqual([".b", ".c", ".a.y", '.a[n="q"].z', ".b.x"]);
  });

  test("has the laws of sets", () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        const inBoth = a.intersection(b);
        const inEither = a.union(b);
        expect(text(inEither)).toBe(text(b.union(a)));
        expect(text(a.difference(b).union(inBoth))).toBe(text(a));
        for (const one of paths(inEither)) expect(a.has(one) || b.has(one)).toBe(true);
        for (const one of paths(a)) {
          expect(inEither.has(one)).toBe(true);
          expect(inBoth.has(one)).toBe(b.has(one));
          expect(a.difference(b).has(one)).toBe(!b.has(one));
        }
      }),
    );
  });

  test("leaves alone what it was made from", () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        const before = [text(a), text(b)];
        a.union(b).difference(b).without(a).intersection(b);
        expect([text(a), text(b)]).toEqual(before);
      }),
    );
  });
});

describe("fieldsV1", () => {
  test("is read and written without loss", () => {
    fc.assert(
      fc.property(anySet, (a) => {
        const read = readFieldsV1(JSON.parse(text(a)));
        expect(paths(read)).toEqual(paths(a));
        expect(text(read)).toBe(text(a));
      }),
    );
  });

  test("is written the same however it was sorted", () => {
    const shuffled = fc.shuffledSubarray(
      ["f:b", "f:a", 'k:{"b":1}', 'k:{"a":1}', "v:2", "v:10", 'v:"a"', "v:true", "i:2", "i:10"],
      {
        minLength: 10,
      },
    );
    fc.assert(
      fc.property(shuffled, (elements) => {
        expect(Object.keys(writeFieldsV1(FieldSet.of(...elements.map((one) => [one]))))).toEqual([
          "f:a",
          "f:b",
          'k:{"a":1}',
          'k:{"b":1}',
          "v:2",
          "v:10",
          'v:"a"',
          "v:true",
          "i:2",
          "i:10",
        ]);
      }),
    );
  });

  test.each([
    ['k:{"protocol":"TCP","containerPort":80}', 'k:{"containerPort":80,"protocol":"TCP"}'],
    ['v:"a<b"', 'v:"a\\u003cb"'],
    ['v:"\\b\\\\b"', 'v:"\\u0008\\\\b"'],
    ["v: 1.0", "v:1"],
    ["i:07", "i:7"],
  ])("reads %s as %s", (sent, stored) => {
    expect(writeFieldsV1(readFieldsV1({ [sent]: {} }))).toEqual({ [stored]: {} });
  });

  test("leaves out steps of a sort that nobody knows yet", () => {
    expect(writeFieldsV1(readFieldsV1({ "f:a": { "x:b": {} }, "y:c": {} }))).toEqual({ "f:a": {} });
  });

  test.each([["a"], ["ab"], ["i:x"], ["k:1"], ["v:"]])("does not take %s", (sent) => {
    expect(() => readFieldsV1({ [sent]: {} })).toThrow();
  });

  test.each([[null], ["text"], [[]], [{ "f:a": 1 }]])("does not take %j", (sent) => {
    expect(() => readFieldsV1(sent)).toThrow();
  });

  test("sorts by code points, not by the units of UTF-16", () => {
    expect(sortElements(["f:\u{1f600}", "f:\uffff", "f:z"])).toEqual(["f:z", "f:\uffff", "f:\u{1f600}"]);
  });

  test("sorts keys by their names first, a shorter one before a longer", () => {
    const keys = ['k:{"a":2,"b":1}', 'k:{"a":2}', 'k:{"a":10}', 'k:{"0":1}'];
    expect(sortElements(keys)).toEqual(['k:{"0":1}', 'k:{"a":2}', 'k:{"a":2,"b":1}', 'k:{"a":10}']);
  });
});
