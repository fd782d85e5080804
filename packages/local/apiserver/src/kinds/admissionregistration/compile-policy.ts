/**
 * The expressions of a policy, compiled. What is wrong with one is kept with it: whoever stores the policy is told, and
 * whoever runs it refuses by it.
 */
import { compileExpression } from "../../schema/cel/compile.ts";
import type { Expression } from "../../schema/cel/functions.ts";
import { formatProblems } from "../../schema/cel/parse.ts";
import { type CelType, dyn, formatType } from "../../schema/cel/types.ts";
import { environmentWith, type Offered, variableType } from "./environment.ts";
import type { Named, PolicySpec, Validation } from "./types.ts";

export interface Compiled {
  readonly text: string;
  /** Undefined where there is a problem. */
  readonly expression: Expression | undefined;
  readonly problem: string | undefined;
}

export interface CompiledPolicy {
  /** Of two of one name the later one counts. */
  readonly variables: readonly { name: string; value: Compiled }[];
  readonly matchConditions: readonly Compiled[];
  readonly validations: readonly { source: Validation; condition: Compiled; message: Compiled | undefined }[];
  readonly auditAnnotations: readonly { key: string; value: Compiled }[];
}

export function compilePolicy(spec: PolicySpec): CompiledPolicy {
  const { variables = [], matchConditions = [], validations = [], auditAnnotations = [] } = spec;
  const params = spec.paramKind !== undefined;
  const { computed, types } = compileVariables(variables, params);
  const offered = { params, authorizer: true, variables: variables.length > 0 ? types : undefined };
  return {
    variables: computed,
    // Those come first, and so cannot use what is computed later.
    matchConditions: matchConditions.map(({ expression }) =>
      compileAs(["bool"], expression, { params, authorizer: true, variables: undefined }),
    ),
    validations: validations.map((source) => ({
      source,
      condition: compileAs(["bool"], source.expression, offered),
      message: source.messageExpression
        ? compileAs(["string"], source.messageExpression, { ...offered, authorizer: false })
        : undefined,
    })),
    auditAnnotations: auditAnnotations.map(({ key, valueExpression }) => ({
      key,
      value: compileAs(["string", "null"], valueExpression, offered),
    })),
  };
}

/** Each sees those before it. */
function compileVariables(variables: readonly Named[], params: boolean) {
  const types = new Map<string, CelType>();
  const computed = variables.map(({ name, expression }) => {
    const value = compileAs(undefined, expression, { params, authorizer: true, variables: types });
    types.set(name, value.expression ? variableType(value.expression.type) : dyn);
    return { name, value };
  });
  return { computed, types };
}

function compileAs(wanted: readonly string[] | undefined, text: string, offered: Offered): Compiled {
  const { expression, problems } = compileExpression(text, environmentWith(offered));
  const refuse = (problem: string) => ({ text, expression: undefined, problem });
  if (!expression) return refuse(`compilation failed: ${formatProblems(text, problems)}`);
  if (wanted && !wanted.includes(expression.type.name)) {
    const several = wanted.length === 1 ? fullName(wanted[0] as string) : `one of [${wanted.map(fullName).join(" ")}]`;
    return refuse(`must evaluate to ${several} but got ${shown(expression.type)}`);
  }
  return { text, expression, problem: undefined };
}

/** Here types go by the names that they have where expressions run. */
const fullNames = new Map([
  ["null", "null_type"],
  ["timestamp", "google.protobuf.Timestamp"],
  ["duration", "google.protobuf.Duration"],
]);
const fullName = (name: string): string => fullNames.get(name) ?? name;

function shown(type: CelType): string {
  return formatType({ ...type, name: fullName(type.name) });
}
