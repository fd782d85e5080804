/** One rule, compiled, and what is wrong with it. */
import { type FieldError, internalError, invalid, notSupported, required } from "../../errors/field-error.ts";
import type { Schema, ValidationRule } from "../schema.ts";
import { compileExpression, type Environment } from "./compile.ts";
import { normalizedPath } from "./field-path.ts";
import type { Expression } from "./functions.ts";
import { formatProblems } from "./parse.ts";
import type { Shape } from "./shape.ts";
import { bool, formatType, optionalOf, string } from "./types.ts";

export interface Rule {
  readonly source: ValidationRule;
  readonly condition: Expression;
  readonly message: Expression | undefined;
  readonly usesOldSelf: boolean;
  /** Below the value that the rule is about: `spec.name`. */
  readonly fieldPath: string;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** What can be told without compiling it. `path` is that of the rule: `….x-kubernetes-validations[0]`. */
export function textProblems(rule: ValidationRule, schema: Schema, path: string): FieldError[] {
  const problems: FieldError[] = [];
  const { message = "", messageExpression = "", reason, fieldPath = "" } = rule;
  if (rule.rule.trim() === "") problems.push(required(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "") {
    problems.push(invalid(`${path}.message`, message, "must be non-empty if specified"));
  } else if (message.trim().includes("\n")) {
    problems.push(invalid(`${path}.message`, message, "must not contain line breaks"));
  } else if (rule.rule.trim().includes("\n") && message.trim() === "") {
    problems.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    problems.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    problems.push(notSupported(`${path}.reason`, reason, reasons));
  }
  if (fieldPath !== "" && fieldPath.trim() === "") {
    problems.push(invalid(`${path}.fieldPath`, fieldPath, "must be non-empty if specified"));
  }
  if (fieldPath.includes("\n")) problems.push(invalid(`${path}.fieldPath`, fieldPath, "must not contain line breaks"));
  if (fieldPath !== "" && normalizedPath(fieldPath, schema) === undefined) {
    problems.push(invalid(`${path}.fieldPath`, fieldPath, "must be a valid path"));
  }
  return problems;
}

/** `uncorrelatable` is the path of the list that makes it impossible to say what a value was. */
export function compileRule(
  source: ValidationRule,
  schema: Schema,
  shape: Shape | undefined,
  path: string,
  uncorrelatable: string | undefined,
): { rule: Rule | undefined; problems: FieldError[] } {
  const problems: FieldError[] = [];
  const refuse = (field: string, detail: string) =>
    problems.push(invalid(`${path}.${field}`, shownRule(source), detail));
  if (!shape) {
    const why = "internal error: failed to retrieve type information for x-kubernetes-validations";
    return { rule: undefined, problems: [internalError(path.replace(/\[\d+\]$/, ""), why)] };
  }
  const compiled = compileExpression(source.rule, environmentOf(source, shape));
  const condition = compiled.expression;
  const usesOldSelf = compiled.used.has("oldSelf");
  if (!condition) refuse("rule", `compilation failed: ${formatProblems(source.rule, compiled.problems)}`);
  else if (condition.type !== bool) refuse("rule", "cel expression must evaluate to a bool");
  const message = condition?.type === bool ? compileMessage(source, shape, refuse) : undefined;
  if (condition && usesOldSelf && uncorrelatable !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    problems.push(invalid(`${path}.rule`, source.rule, detail));
  } else if (!usesOldSelf && source.optionalOldSelf !== undefined) {
    const detail = "may not be set if oldSelf is not used in rule";
    problems.push(invalid(`${path}.optionalOldSelf`, source.optionalOldSelf, detail));
  }
  if (!condition || problems.length > 0) return { rule: undefined, problems };
  const fieldPath = normalizedPath(source.fieldPath ?? "", schema) ?? "";
  return { rule: { source, condition, message, usesOldSelf, fieldPath }, problems };
}

/** A rule as Go prints it. */
function shownRule(rule: ValidationRule): unknown {
  return {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

function environmentOf({ optionalOldSelf }: ValidationRule, { type }: Shape): Environment {
  return new Map([
    ["self", type],
    ["oldSelf", optionalOldSelf ? optionalOf(type) : type],
  ]);
}

function compileMessage(
  rule: ValidationRule,
  shape: Shape,
  refuse: (field: string, detail: string) => void,
): Expression | undefined {
  const { messageExpression = "" } = rule;
  if (messageExpression === "") return undefined;
  const { expression, problems } = compileExpression(messageExpression, environmentOf(rule, shape));
  if (!expression) {
    refuse("messageExpression", `messageExpression compilation failed: ${formatProblems(messageExpression, problems)}`);
  } else if (formatType(expression.type) !== formatType(string)) {
    refuse("messageExpression", "messageExpression must evaluate to a string");
    return undefined;
  }
  return expression;
}
