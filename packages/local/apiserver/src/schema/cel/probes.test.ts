import { describe, expect, test } from "vitest";
import type { Schema, ValidationRule } from "../schema.ts";
import { compileRules } from "./compile-rules.ts";
import { badRules, probedProperties, probes, updates } from "./testing/probes.ts";

const withRule = (rule: ValidationRule): Schema => ({
  type: "object",
  properties: { spec: { type: "object", properties: probedProperties, "x-kubernetes-validations": [rule] } },
});

describe("rules judge as on a real API server", () => {
  test.each(probes)("%s of %j", (rule, spec, message) => {
    const { rules, problems } = compileRules(withRule({ rule }));
    expect(problems).toEqual([]);
    const error = { reason: "FieldValueInvalid", field: "spec", message };
    expect(rules.check({ spec })).toEqual(message === null ? [] : [error]);
  });

  test.each(updates)("%s of %j that was %j", (rule, spec, oldSpec, message, isWarning) => {
    const { rules } = compileRules(withRule({ rule }));
    const { errors, warnings } = rules.judge({ metadata: { labels: {} }, spec }, { metadata: {}, spec: oldSpec });
    expect(errors.map(({ message }) => message)).toEqual(message === null || isWarning ? [] : [message]);
    expect(warnings).toEqual(isWarning ? [`spec: ${message}`] : []);
  });
});

describe("rules that cannot be are refused as on a real API server", () => {
  test.each(badRules)("%s (%s)", (rule, messageExpression, why) => {
    const source = { rule, ...(messageExpression !== undefined && { messageExpression }) };
    const { problems } = compileRules(withRule(source), "schema");
    const [problem] = problems;
    const field = messageExpression === undefined ? "rule" : "messageExpression";
    expect(problem?.field).toBe(`schema.properties[spec].x-kubernetes-validations[0].${field}`);
    expect(problem?.message.slice(-why.length)).toBe(why);
    expect(problems).toHaveLength(1);
  });
});
