import { StatusError } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { badRequest } from "../../errors/refusals.ts";
import { yamlScalars } from "../testing/bodies.ts";
import { notAnObject, parseJson, summaryOf, unrecognized } from "./parse-json.ts";
import { parseYaml, unrecognizedYaml } from "./parse-yaml.ts";
import { readInThread } from "./read-in-thread.ts";

async function refusalOf(read: () => unknown): Promise<string | undefined> {
  try {
    await read();
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

  test("whatever is not JSON is refused, and whatever is, is not", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json().map((text) => text.slice(0, -1)),
        ),
        async (text) => {
          let isJson = true;
          try {
            JSON.parse(text);
          } catch {
            isJson = false;
          }
          const refusal = await refusalOf(() => parseJson(text));
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
  ])("%j is refused: %s", async (text, why) => {
    expect(await refusalOf(() => parseJson(text))).toBe(why);
  });

  test("a thousand levels are read, one more is refused, and ten thousand as Kubernetes does", async () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(await refusalOf(() => parseJson(nested(1_000)))).toBeUndefined();
    expect(await refusalOf(() => parseJson(nested(1_001)))).toBe("json: exceeded max depth of 1000");
    expect(await refusalOf(() => parseJson(nested(10_001)))).toBe("invalid character '[' exceeded max depth");
    expect(await refusalOf(() => parseJson(JSON.stringify(Array(20_000).fill({}))))).toBeUndefined();
  });

  test("refusals say what was wanted and what was sent", async () => {
    expect(await refusalOf(() => parseJson("hello", unrecognized("Pod", "hello")))).toBe(
      "the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value (68656c6c6f)",
    );
    expect(await refusalOf(() => parseJson("{", (why) => badRequest(`error decoding patch: ${why}`)))).toBe(
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
  test.each(Object.entries(yamlScalars))("%s", async (text, wanted) => {
    expect((await parseYaml(`a: ${text}\n`)).value).toEqual({ a: wanted });
  });

  test("JSON is read as JSON", async () => {
    const body = await parseYaml('{"a":1,"a":2}');
    expect(body).toMatchObject({ value: { a: 2 }, duplicates: [], repeated: ['line 1: key "a" already set in map'] });
    expect((await parseYaml('{"a":1}')).repeated).toEqual([]);
    expect((await parseYaml("{a: 1, b: [x, yes]}")).value).toEqual({ a: 1, b: ["x", true] });
  });

  test("the last of what is said twice counts", async () => {
    const { value } = await parseYaml("a:\n  b: 1\n  b: 2\nl:\n- x: 1\n  x: 2\n");
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
  ])("%j says twice: %j", async (text, wanted) => {
    const told = wanted.map((one) => one.replace(/^(\d+) (.*)$/, "line $1: key $2 already set in map"));
    expect((await parseYaml(text)).repeated).toEqual(told);
  });

  test("only the first document is read", async () => {
    expect((await parseYaml("a: 1\n---\nb: 2\n")).value).toEqual({ a: 1 });
    expect((await parseYaml("")).value).toBeNull();
  });

  test("anchors, merges and keys that are not texts", async () => {
    expect((await parseYaml("a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n")).value).toEqual({
      a: { b: 1 },
      c: { b: 1 },
      d: { b: 1, e: 2 },
    });
    expect((await parseYaml("1: a\ntrue: b\n1.5: c\n")).value).toEqual({ "1": "a", true: "b", "1.5": "c" });
  });

  test("__proto__ is a field as any other", async () => {
    expect(Object.keys((await parseYaml("__proto__:\n  polluted: true\n")).value as object)).toEqual(["__proto__"]);
  });

  test.each([
    ["a: [", /^yaml: line \d+: /],
    ["a: b: c", /^yaml: line 1: /],
    ["a: .inf", /^json: unsupported value: \+Inf$/],
    ["a: .nan", /^json: unsupported value: NaN$/],
    ["null: a", /^unsupported map key/],
    ["? [a]\n: b", /^unsupported map key/],
    ["a: *nothing", /^yaml: unknown anchor 'nothing' referenced$/],
    ["a: &a [*a]", /^yaml: anchor 'a' value contains itself$/],
    ["a: &a [x]\n*a : b", /^unsupported map key/],
    [bomb(), /^yaml: document contains excessive aliasing$/],
  ])("%j is refused", async (text, why) => {
    expect(await refusalOf(() => parseYaml(text))).toMatch(why);
  });

  test("reading stops at the first error, also inside of collections", async () => {
    // Each further error would be prefixed once more, and a text like the last one has as many errors as characters.
    expect(await refusalOf(() => parseYaml("[[[[}"))).toMatch(/^yaml: line 1: (?!yaml)/);
    expect(await refusalOf(() => parseYaml("a: 1\n[}[}"))).toMatch(/^yaml: line 2: (?!yaml)/);
    expect(await refusalOf(() => parseYaml("[}".repeat(100_000)))).toMatch(/^yaml: line 1: (?!yaml)/);
    expect(await refusalOf(() => parseYaml(`{${"a ".repeat(100_000)}`))).toMatch(/^yaml: line 1: (?!yaml)/);
    expect((await parseYaml(`[${"!unknown x,".repeat(1_000)}]`)).value).toHaveLength(1_000);
  });

  test.each(["[", "{a: ", "- ", "? ", "a: ["])("%j without end is refused for its depth", async (open) => {
    expect(await refusalOf(() => parseYaml(open.repeat(200_000 / open.length)))).toBe(
      "yaml: exceeded max depth of 250",
    );
  });

  test("250 levels are read, also through aliases", async () => {
    const nested = (levels: number, inner = "") => "[".repeat(levels) + inner + "]".repeat(levels);
    expect(await refusalOf(() => parseYaml(nested(250)))).toBeUndefined();
    expect(await refusalOf(() => parseYaml(nested(251)))).toBe("yaml: exceeded max depth of 250");
    const twice = (levels: number) => `- &a ${nested(200)}\n- ${nested(levels, "*a")}`;
    expect(await refusalOf(() => parseYaml(twice(49)))).toBeUndefined();
    expect(await refusalOf(() => parseYaml(twice(50)))).toBe("yaml: exceeded max depth of 250");
  });

  test("aliases are read, as long as they do not multiply the text", async () => {
    expect((await parseYaml(`a: &a x\nb: [${"*a,".repeat(10_000)}]`)).value).toEqual({
      a: "x",
      b: Array(10_000).fill("x"),
    });
    expect((await parseYaml("- &a 1\n- *a\n- &a 2\n- *a\n")).value).toEqual([1, 1, 2, 2]);
    const excessive = "yaml: document contains excessive aliasing";
    expect(await refusalOf(() => parseYaml(`a: &a ${"x".repeat(10_000)}\nb: [${"*a,".repeat(1_000)}]`))).toBe(
      excessive,
    );
    const many = Array.from({ length: 10_000 }, (_, i) => `m${i}: {<<: *a}\n`).join("");
    expect(await refusalOf(() => parseYaml(`a: &a {${"k: v, ".repeat(1_000)}}\n${many}`))).toBe(excessive);
  });

  test("a body that is not JSON may have a megabyte", async () => {
    const text = `a: ${"x".repeat(1 << 20)}`;
    expect(await refusalOf(() => parseYaml(text))).toBe(
      "Request entity too large: limit is 1048576 for a body in YAML; send it as JSON",
    );
    const json = JSON.stringify({ a: "x".repeat(1 << 20) });
    expect((await parseYaml(json)).repeated).toEqual([]);
    expect((await parseYaml(json.replace("{", '{"a":1,'))).repeated).toEqual(['key "a" already set in map']);
    const deep = `{"a":1,"a":${"[".repeat(900)}${"]".repeat(900)}}`;
    expect((await parseYaml(deep)).repeated).toEqual(['key "a" already set in map']);
  });

  describe("that is large", () => {
    const large = Array.from({ length: 3_000 }, (_, i) => `key${i}: [1, yes]\nkey${i}: 2\n`).join("");

    test("is read as any other", async () => {
      const { value, repeated } = await parseYaml(large);
      expect(value).toMatchObject({ key0: 2, key2999: 2 });
      expect(repeated).toHaveLength(3_000);
      expect(await refusalOf(() => parseYaml(`${large}]`))).toMatch(/^yaml: line 6001: /);
    });

    test("leaves the main thread free meanwhile", async () => {
      let turns = 0;
      const timer = setInterval(() => turns++, 1);
      await parseYaml(large);
      clearInterval(timer);
      expect(turns).toBeGreaterThan(0);
    });

    test("is read within a deadline, and does not hold up the next one", async () => {
      await expect(readInThread(large, 1)).rejects.toThrow("yaml: the body takes more than 1 ms to read");
      expect((await parseYaml(large)).repeated).toHaveLength(3_000);
    });

    test("waits for few others", async () => {
      const reading = Array.from({ length: 25 }, () => readInThread("a: 1", 1).catch((error) => error));
      const codes = (await Promise.all(reading)).map((error) => error.status?.code);
      expect(codes.filter((code) => code === 429)).toHaveLength(5);
    });
  });

  test("refusals say what was wanted and what was sent", async () => {
    expect(await refusalOf(() => parseYaml("a: .inf", unrecognizedYaml("Pod", "a: .inf")))).toBe(
      "the object provided is unrecognized (must be of type Pod): json: unsupported value: +Inf (613a202e696e66)",
    );
  });

  test("whatever is sent is read or refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(..."ab:-[]{}&*!|>#%@ \n\t\"'") }), async (text) => {
        await refusalOf(() => parseYaml(text));
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
