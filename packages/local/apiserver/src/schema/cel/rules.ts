/**
 * The rules of a schema, run on an object that is written. What a rule says of a value that an update leaves alone is
 * a warning only, so that a stricter CRD does not lock up what is there.
 */
import { type FieldError, formatFieldError, invalid } from "../../errors/field-error.ts";
import type { RuleNode } from "./compile-rules.ts";
import { fieldOf, isRecord, oldItemFinder, Pair } from "./correlation.ts";
import { Frame } from "./frame.ts";
import type { Expression } from "./functions.ts";
import { attempt } from "./logic.ts";
import type { Rule } from "./rule.ts";
import type { Shape } from "./shape.ts";
import { CelError, CostExceeded, none, Optional, type Value } from "./values.ts";

/** In looks at a field: about a tenth of a second, and a second, of work. */
const costOfOneRule = 1_000_000;
const costOfAllRules = 10_000_000;
const longestMessage = 5 * 1024;

export interface Judgement {
  errors: FieldError[];
  /** As a Warning header says it. */
  warnings: string[];
}

export class CompiledRules {
  readonly #root: RuleNode | undefined;

  constructor(root: RuleNode | undefined) {
    this.#root = root;
  }

  get isEmpty(): boolean {
    return this.#root === undefined;
  }

  check(object: unknown, old?: unknown): FieldError[] {
    return this.judge(object, old).errors;
  }

  /** `old` is undefined on create. */
  judge(object: unknown, old?: unknown): Judgement {
    const run = new Run();
    if (this.#root) {
      const current = old === undefined ? undefined : new Pair(object, old, this.#root.schema);
      run.value(this.#root, "", object, old, { current, nearest: undefined });
    }
    return { errors: run.errors, warnings: run.warnings };
  }
}

/** What is known of the value before: of itself, or else of the nearest of those around it. */
interface Correlation {
  current: Pair | undefined;
  nearest: Pair | undefined;
}

class Run implements Judgement {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  #left = costOfAllRules;
  #isOver = false;

  value(node: RuleNode, path: string, value: unknown, old: unknown, correlation: Correlation): void {
    if (value === null || value === undefined || this.#isOver) return;
    this.#rules(node, path, value, old, correlation);
    if (Array.isArray(value)) this.#items(node, path, value, old, correlation);
    else if (isRecord(value)) this.#fields(node, path, value, old, correlation);
  }

  #fields(node: RuleNode, path: string, value: Record<string, unknown>, old: unknown, correlation: Correlation): void {
    for (const [key, field] of Object.entries(value)) {
      const property = node.properties.get(key);
      const before = fieldOf(old, key);
      const inner = fieldCorrelation(correlation, key);
      if (node.values) this.value(node.values, `${path}[${key}]`, field, before, inner);
      if (property) this.value(property, path === "" ? key : `${path}.${key}`, field, before, inner);
    }
  }

  #items(node: RuleNode, path: string, value: readonly unknown[], old: unknown, correlation: Correlation): void {
    if (!node.items) return;
    const find = oldItemFinder(node.schema, old);
    for (const [at, item] of value.entries()) {
      const before = find(item);
      const { current } = correlation;
      const inner = current ? { current: current.item(item, before), nearest: current } : correlation;
      this.value(node.items, `${path}[${at}]`, item, before, inner);
    }
  }

  #rules(
    { rules, shape, schema }: RuleNode,
    path: string,
    json: unknown,
    old: unknown,
    correlation: Correlation,
  ): void {
    if (!shape || rules.length === 0) return;
    const hasOld = old !== undefined && old !== null;
    const self = attempt(() => shape.read(json));
    for (const rule of rules) {
      const isOptional = rule.source.optionalOldSelf === true;
      if (this.#isOver || (rule.usesOldSelf && !hasOld && !isOptional)) continue;
      if (this.#left <= 0) {
        this.#giveUp(path, schema.type);
        return;
      }
      const frame = this.#frame(shape, self, hasOld ? old : undefined, rule);
      const result = frame instanceof CelError ? frame : this.#run(rule.condition, frame);
      if (result === true) continue;
      if (result instanceof Error) {
        this.errors.push(invalid(path || "<nil>", schema.type, runtimeText(result, rule)));
        this.#isOver ||= result instanceof CostExceeded;
        continue;
      }
      const error = this.#failure(rule, path, schema.type, json, frame as Frame);
      const { current, nearest } = correlation;
      if (!rule.usesOldSelf && (current ?? nearest)?.isUnchanged) this.warnings.push(formatFieldError(error));
      else this.errors.push(error);
    }
  }

  #giveUp(path: string, type: string | undefined): void {
    const why = "validation failed due to running out of cost budget, no further validation rules will be run";
    this.errors.push(invalid(path || "<nil>", type, why));
    this.#isOver = true;
  }

  #frame(shape: Shape, self: Value | CelError, old: unknown, rule: Rule): Frame | CelError {
    if (self instanceof CelError) return self;
    const before = old === undefined || !rule.usesOldSelf ? undefined : attempt(() => shape.read(old));
    if (before instanceof CelError) return before;
    const wrapped = before === undefined ? none : new Optional(before);
    const oldSelf = rule.source.optionalOldSelf ? wrapped : (before ?? null);
    return new Frame({ self, oldSelf }, Math.min(costOfOneRule, this.#left));
  }

  #run(expression: Expression, frame: Frame): Value | Error {
    const before = frame.left;
    try {
      return expression.run(frame);
    } catch (error) {
      if (error instanceof CelError || error instanceof CostExceeded) return error;
      throw error;
    } finally {
      this.#left -= before - frame.left;
    }
  }

  #failure(rule: Rule, path: string, type: string | undefined, json: unknown, frame: Frame): FieldError {
    const { source, fieldPath } = rule;
    const field = [path, fieldPath].filter((part) => part !== "").join(".") || "<nil>";
    const detail = this.#message(rule, frame) ?? (source.message?.trim() || `failed rule: ${source.rule.trim()}`);
    const isShown = type !== "object" && type !== "array";
    switch (source.reason) {
      case "FieldValueForbidden":
        return { reason: source.reason, field, message: `Forbidden: ${detail}` };
      case "FieldValueRequired":
        return { reason: source.reason, field, message: `Required value: ${detail}` };
      case "FieldValueDuplicate":
        return {
          reason: source.reason,
          field,
          message: `Duplicate value${isShown ? `: ${JSON.stringify(json)}` : ""}`,
        };
      default:
        if (isShown) return invalid(field, json, detail);
        return { reason: "FieldValueInvalid", field, message: `Invalid value: ${detail}` };
    }
  }

  /** Undefined where the expression does not come to a usable text. */
  #message({ message }: Rule, frame: Frame): string | undefined {
    if (!message) return undefined;
    const text = this.#run(message, frame);
    const trimmed = typeof text === "string" ? text.trim() : "";
    const isUsable = trimmed !== "" && Buffer.byteLength(trimmed) <= longestMessage && !trimmed.includes("\n");
    return isUsable ? trimmed : undefined;
  }
}

function fieldCorrelation({ current, nearest }: Correlation, key: string): Correlation {
  if (!current) return { current, nearest };
  // Old and new are read in the same version: these two always look unchanged.
  if (!nearest && (key === "apiVersion" || key === "kind")) return { current: undefined, nearest: undefined };
  return { current: current.key(key), nearest: current };
}

function runtimeText(error: Error, { source }: Rule): string {
  const rule = source.message?.trim() || source.rule.trim();
  if (error instanceof CostExceeded) {
    return `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
  }
  if (!error.message.startsWith("no such overload")) return `${error.message} evaluating rule: ${rule}`;
  return `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
}
