import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Schema, ValidationRule } from "../schema.ts";
import { compileRules } from "./compile-rules.ts";
import { created, shelfSchema } from "./placement.ts";
import { probedProperties } from "./testing/probes.ts";

const text: Schema = { type: "string" };

function judge(rule: string, self: Schema, value: unknown) {
  const { rules, problems } = compileRules({
    type: "object",
    properties: { self: { ...self, "x-kubernetes-validations": [{ rule }] } },
  });
  expect(problems).toEqual([]);
  return rules.check({ self: value }).map(({ message }) => message);
}

describe("where rules stand", () => {
  const { rules, problems } = compileRules(shelfSchema);
  const check = (spec: unknown, old?: unknown, name = "shelf") => {
    const whole = (spec: unknown) => ({ kind: "Shelf", metadata: { name }, spec });
    return rules.check(whole(spec), old && whole(old)).map(({ field, message }) => `${field}: ${message}`);
  };

  test("all compile", () => expect(problems).toEqual([]));

  test.each<[unknown, string[]]>([
    [{}, []],
    [{ min: 3, max: 2 }, ["spec.min: Invalid value: 3 is more than 2"]],
    [{ min: 3 }, ["spec.max: Required value: min needs it"]],
    [
      { secret: "ab" },
      ["spec: Forbidden: no secrets here", 'spec.secret: Invalid value: "ab": failed rule: self.size() > 3'],
    ],
    [{ root: "twice" }, ["spec.root: Duplicate value"]],
    [{ root: "blank" }, ["spec: Invalid value: fallback"]],
    [{ root: "lines" }, ["spec: Invalid value: failed rule: !has(self.root) || self.root != 'lines'"]],
    [{ list: ["a", "b"] }, [`spec.list[1]: Invalid value: "b": failed rule: self.startsWith('a')`]],
    [{ map: { "c.d": 0 } }, ["spec.map[c.d]: Invalid value: 0: failed rule: self > 0"]],
    [{ labels: { bad: "x" } }, ["spec.labels.[bad]: Invalid value: failed rule: !('bad' in self)"]],
    [
      { nested: { deep: {} } },
      ['spec.nested.deep: Invalid value: "object": no such key: x evaluating rule: self.x > 1'],
    ],
    [{ grows: 1 }, ["spec.grows: Invalid value: 1: starts at 0"]],
  ])("%j", (spec, said) => expect(check(spec)).toEqual(said));

  test.each<[unknown, unknown, string[]]>([
    [{ once: "a" }, { once: "b" }, ['spec.once: Invalid value: "b": is immutable']],
    [{}, { once: "b" }, []],
    // A rule about the change itself is not let off because nothing changed.
    [{ changes: "a" }, { changes: "a" }, ['spec.changes: Invalid value: "a": must change']],
    [{ map: { a: 3 } }, { map: { a: 2 } }, ["spec.map[a]: Invalid value: 2: shrinks"]],
    [
      { keyed: [{ name: "a", value: 5 }] },
      { keyed: [{ name: "b" }, { name: "a", port: 80, value: 4 }] },
      ["spec.keyed[1].value: Invalid value: 4: shrinks"],
    ],
    [{ list: ["b"] }, { list: ["b"], root: "x" }, []],
    [
      { list: ["b"] },
      { list: ["b", "b"] },
      [0, 1].map((at) => `spec.list[${at}]: Invalid value: "b": failed rule: self.startsWith('a')`),
    ],
  ])("%j becomes %j", (old, spec, said) => expect(check(spec, old)).toEqual(said));

  test("at the root of the object", () => {
    expect(check({}, undefined, "other")).toEqual(["<nil>: Invalid value: names start with shelf"]);
  });
});

describe("rules that ask too much are stopped", () => {
  const many = Array.from({ length: 200 }, (_, at) => `item ${at}`);
  const long = "a".repeat(100_000);
  const list: Schema = { type: "array", items: text };
  const two: Schema = { type: "object", properties: { a: list, b: list } };
  const big = Array.from({ length: 20_000 }, () => "x".repeat(20));

  test.each<[string, Schema, unknown]>([
    ["self.all(a, self.all(b, self.all(c, a + b + c != '')))", list, many],
    ["self.replace('', self) != ''", text, long],
    ["self.contains(self.replace('b', 'a'))", text, long],
    ["lists.range(9000000000).size() > 0", text, ""],
    ["self.a.all(x, self.a == self.b)", two, { a: big, b: [...big] }],
    ["self.a.distinct().size() > 0", two, { a: big.map((each, at) => each + at), b: [] }],
    ["self.matches('(a*)*' + self)", text, long],
  ])("%s", (rule, self, value) => {
    const before = process.threadCpuUsage();
    expect(judge(rule, self, value)).toEqual([expect.stringContaining("actual cost limit exceeded")]);
    // Microseconds of the processor, which others may use meanwhile.
    expect(process.threadCpuUsage(before).user).toBeLessThan(10_000_000);
  });

  test("all rules together have a limit too", () => {
    const rule: ValidationRule = { rule: "self.all(a, self.all(b, a + b != ''))" };
    const items = Array.from({ length: 60 }, () => many);
    const schema: Schema = { type: "array", items: { ...list, "x-kubernetes-validations": [rule] } };
    const { rules } = compileRules({ type: "object", properties: { all: schema } });
    const messages = rules.check({ all: items }).map(({ message }) => message);
    expect(messages).toEqual([expect.stringMatching(/cost limit exceeded|running out of cost budget/)]);
  });
});

describe("what a rule must not say", () => {
  const problemsOf = (rule: ValidationRule, schema: Schema = { type: "object", properties: probedProperties }) =>
    compileRules(
      { type: "object", properties: { spec: { ...schema, "x-kubernetes-validations": [rule] } } },
      "s",
    ).problems.map(
      ({ field, message }) => `${field.replace("s.properties[spec].x-kubernetes-validations[0]", "")} ${message}`,
    );

  test.each<[ValidationRule, string]>([
    [{ rule: " " }, ".rule Required value: rule is not specified"],
    [{ rule: "true", message: " " }, '.message Invalid value: " ": must be non-empty if specified'],
    [{ rule: "true", message: "a\nb" }, '.message Invalid value: "a\\nb": must not contain line breaks'],
    [{ rule: "true &&\ntrue" }, ".message Required value: message must be specified if rule contains line breaks"],
    [
      { rule: "true", messageExpression: " " },
      ".messageExpression Required value: messageExpression must be non-empty if specified",
    ],
    [{ rule: "true", fieldPath: ".nope" }, '.fieldPath Invalid value: ".nope": must be a valid path'],
    [{ rule: "true", fieldPath: "s" }, '.fieldPath Invalid value: "s": must be a valid path'],
    [{ rule: "true", fieldPath: ".l[0]" }, '.fieldPath Invalid value: ".l[0]": must be a valid path'],
    [
      { rule: "true", optionalOldSelf: true },
      ".optionalOldSelf Invalid value: true: may not be set if oldSelf is not used in rule",
    ],
  ])("%j", (rule, said) => expect(problemsOf(rule)).toEqual([said]));

  test("what the value was, where nobody can tell", () => {
    const rule = { rule: "self == oldSelf" };
    const items: Schema = { ...text, "x-kubernetes-validations": [rule] };
    const said = (schema: Schema) => compileRules({ type: "object", properties: { x: schema } }, "s").problems;
    const [problem] = said({ type: "array", items: { type: "object", properties: { y: items } } });
    expect(problem).toEqual({
      reason: "FieldValueInvalid",
      field: "s.properties[x].items.properties[y].x-kubernetes-validations[0].rule",
      message:
        'Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[x]',
    });
    expect(said({ type: "object", additionalProperties: items })).toEqual([]);
    const inner: Schema = { type: "array", items };
    const [nested] = said({ type: "array", items: { type: "object", properties: { y: inner } } });
    expect(nested?.message).toMatch(/within s\.properties\[x\]$/);
  });
});

test("versions are ordered as semver has it", () => {
  const ordered = [
    "1.0.0-1",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-beta",
    "1.0.0",
    "1.0.1",
    "1.10.0",
  ];
  const rule = "self.all(i, a, self.all(j, b, (i < j) == semver(a).isLessThan(semver(b))))";
  expect(judge(rule, { type: "array", items: text }, ordered)).toEqual([]);
});

test("no object makes the rules throw", () => {
  const { rules } = compileRules(shelfSchema);
  const anything = fc.jsonValue().map((value) => structuredClone(value));
  const keys = [...new Set(created.flatMap(([, spec]) => Object.keys(spec)))];
  const spec = fc.dictionary(fc.constantFrom(...keys), anything);
  fc.assert(
    fc.property(spec, fc.option(spec, { nil: undefined }), (spec, old) => {
      rules.judge({ kind: "Shelf", metadata: { name: "shelf" }, spec }, old && { metadata: {}, spec: old });
    }),
  );
});
