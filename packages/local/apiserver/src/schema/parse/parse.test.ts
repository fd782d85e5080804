import { StatusError } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { badRequest } from "../../errors/refusals.ts";
import { yamlScalars } from "../testing/bodies.ts";
import { notAnObject, parseJson, summaryOf, unrecognized } from "./parse-json.ts";
import { parseYaml, unrecognizedYaml } from "./parse-yaml.ts";

function refusalOf(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof StatusError) return error.status.message;
    throw error;
  }
  return undefined;
}

describe("JSON", () => {
  test("fields that are said twice are told once, by their path", () => {
    const text =
      '{"a":{"b":1,"b":2,"b":3},"l":[0,{"x":[[{"y":1,"y":2}]]}],"a":1,"k.k":{"\\"":1,"\\u0022":2},"s":"{\\"q\\":1,\\"q\\":2}"}';
    expect(parseJson(text).duplicates).toEqual(["a.b", "l[1].x[0][0].y", "a", 'k.k."']);
  });

  test("what has no duplicates has none", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const body = parseJson(JSON.stringify(value));
        expect(body.duplicates).toEqual([]);
        expect(body.value).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("whatever is not JSON is refused, and whatever is, is not", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((text) => text.slice(0, -1)),
        ),
        (text) => {
          let isJson = true;
          try {
            JSON.parse(text);
          } catch {
            isJson = false;
          }
          const refusal = refusalOf(() => parseJson(text));
          if (isJson) expect(refusal).toBeUndefined();
          else expect(refusal).toMatch(/^invalid character |^unexpected end of JSON input$/);
        },
      ),
    );
  });

  test("__proto__ is a field as any other", () => {
    const { value } = parseJson('{"__proto__":{"polluted":true}}');
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test.each([
    ["", "unexpected end of JSON input"],
    ["hello", "invalid character 'h' looking for beginning of value"],
    ['{"a"', "unexpected end of JSON input"],
    ["{} x", "invalid character 'x' after top-level value"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ['{"a":"\u0001"}', "invalid character '\\x01' in string literal"],
    ['{"a":"\\q"}', "invalid character 'q' in string escape code"],
    ['{"a":"\\u12x"}', "invalid character 'x' in \\u hexadecimal character escape"],
    ["[trUe]", "invalid character 'U' in literal true (expecting 'u')"],
    ["[1.]", "invalid character ']' after decimal point in numeric literal"],
    ["[1e]", "invalid character ']' in exponent of numeric literal"],
    ["[-]", "invalid character ']' in numeric literal"],
    ["[é]", "invalid character 'Ã' looking for beginning of value"],
  ])("%j is refused: %s", (text, why) => {
    expect(refusalOf(() => parseJson(text))).toBe(why);
  });

  test("ten thousand levels are read, one more is refused", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(refusalOf(() => parseJson(nested(10_000)))).toBeUndefined();
    expect(refusalOf(() => parseJson(nested(10_001)))).toBe("invalid character '[' exceeded max depth");
    expect(refusalOf(() => parseJson(JSON.stringify(Array(20_000).fill({}))))).toBeUndefined();
  });

  test("refusals say what was wanted and what was sent", () => {
    expect(refusalOf(() => parseJson("hello", unrecognized("Pod", "hello")))).toBe(
      "the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value (68656c6c6f)",
    );
    expect(refusalOf(() => parseJson("{", (why) => badRequest(`error decoding patch: ${why}`)))).toBe(
      "error decoding patch: unexpected end of JSON input",
    );
  });

  test.each([
    ["", "<empty>"],
    ["{}", "{}"],
    [`{${"x".repeat(40)}`, `{${"x".repeat(29)} ...`],
    ["[]", "5b5d"],
    ["x".repeat(40), `${"78".repeat(30)} ...`],
  ])("%j is summed up as %s", (text, summary) => {
    expect(summaryOf(text)).toBe(summary);
  });

  test("bodies that are not objects are named", () => {
    expect(notAnObject({})).toBeUndefined();
    expect(notAnObject(null)).toBeUndefined();
    expect(notAnObject([])).toMatch(/^json: cannot unmarshal array into Go value of type struct/);
    expect(notAnObject(true)).toMatch(/^json: cannot unmarshal bool into/);
  });
});

describe("YAML", () => {
  test.each(Object.entries(yamlScalars))("%s", (text, wanted) => {
    expect(parseYaml(`a: ${text}\n`).value).toEqual({ a: wanted });
  });

  test("JSON is read as JSON", () => {
    const body = parseYaml('{"a":1,"a":2}');
    expect(body).toMatchObject({ value: { a: 2 }, duplicates: [], repeated: ['line 1: key "a" already set in map'] });
    expect(parseYaml('{"a":1}').repeated).toEqual([]);
    expect(parseYaml("{a: 1, b: [x, yes]}").value).toEqual({ a: 1, b: ["x", true] });
  });

  test("the last of what is said twice counts", () => {
    const { value } = parseYaml("a:\n  b: 1\n  b: 2\nl:\n- x: 1\n  x: 2\n");
    expect(value).toEqual({ a: { b: 2 }, l: [{ x: 2 }] });
  });

  // As a real server told them.
  test.each([
    ["a: 1\nb: 2\n", []],
    ["a: 1\n# c\n\na: 2\na: 3\n", ['4 "a"', '5 "a"']],
    ["a: {x: 1, x: 2}\na:\n  b: 1\n", ['1 "x"', '3 "a"']],
    ["l:\n- {x: 1,\n  x: 2}\n", ['3 "x"']],
    ["1: a\n'1': b\n1: c\ntrue: a\ntrue: b\n1.5: a\n1.5: b\n", ["3 1", "5 true", "7 1.5"]],
    ["a: |\n  x\n  y\nb: 1\na: >\n  z\n", ['5 "a"']],
    ["a: 1\r\na: 2\r\n", ['2 "a"']],
    ["'a\"b': 1\n'a\"b': 2\n", ['2 "a\\"b"']],
    ["x: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n", ['4 "a"']],
    ["x: &x {a: 1}\ny:\n  a: 2\n  <<: [{a: 3}, *x]\n", ['1 "a"', '4 "a"']],
    ["a:\na:\nb: 1\n", ['2 "a"']],
    ["a: 1\n---\nb: 1\nb: 2\n", []],
  ])("%j says twice: %j", (text, wanted) => {
    const told = wanted.map((one) => one.replace(/^(\d+) (.*)$/, "line $1: key $2 already set in map"));
    expect(parseYaml(text).repeated).toEqual(told);
  });

  test("only the first document is read", () => {
    expect(parseYaml("a: 1\n---\nb: 2\n").value).toEqual({ a: 1 });
    expect(parseYaml("").value).toBeNull();
  });

  test("anchors, merges and keys that are not texts", () => {
    expect(parseYaml("a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n").value).toEqual({
      a: { b: 1 },
      c: { b: 1 },
      d: { b: 1, e: 2 },
    });
    expect(parseYaml("1: a\ntrue: b\n1.5: c\n").value).toEqual({ "1": "a", true: "b", "1.5": "c" });
  });

  test("__proto__ is a field as any other", () => {
    expect(Object.keys(parseYaml("__proto__:\n  polluted: true\n").value as object)).toEqual(["__proto__"]);
  });

  test.each([
    ["a: [", /^yaml: line \d+: /],
    ["a: b: c", /^yaml: line 1: /],
    ["a: .inf", /^json: unsupported value: \+Inf$/],
    ["a: .nan", /^json: unsupported value: NaN$/],
    ["null: a", /^unsupported map key/],
    ["? [a]\n: b", /^unsupported map key/],
    ["a: *nothing", /^yaml: /],
    [`a: ${"[".repeat(20_000)}`, /^yaml: /],
    [bomb(), /^yaml: document contains excessive aliasing$/],
  ])("%j is refused", (text, why) => {
    expect(refusalOf(() => parseYaml(text))).toMatch(why);
  });

  test("refusals say what was wanted and what was sent", () => {
    expect(refusalOf(() => parseYaml("a: .inf", unrecognizedYaml("Pod", "a: .inf")))).toBe(
      "the object provided is unrecognized (must be of type Pod): json: unsupported value: +Inf (613a202e696e66)",
    );
  });

  test("whatever is sent is read or refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab:-[]{}&*!|>#%@ \n\t\"'") }), (text) => {
        refusalOf(() => parseYaml(text));
      }),
    );
  });
});

function bomb(): string {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  return names
    .map((name, index) => `${name}: &${name} [${Array(9).fill(index === 0 ? "x" : `*${names[index - 1]}`)}]\n`)
    .join("");
}
