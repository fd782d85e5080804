/**
 * One policy, asked about one request: its conditions, then its validations, then its annotations. An error counts as
 * the failure policy says.
 */
import type { Compiled, CompiledPolicy } from "../../kinds/admissionregistration/compile-policy.ts";
import { Frame } from "../../schema/cel/frame.ts";
import { CelError, CostExceeded, Struct, type Value } from "../../schema/cel/values.ts";

export interface Denial {
  message: string;
  /** Of the Status: `Invalid`, `Forbidden`. */
  reason: string;
  /** Whether it holds whatever the binding wants done. */
  isCertain?: boolean;
}

/** What expressions run on. `authorizer` and the namespace are not there for all of them. */
export type Inputs = Readonly<Record<string, Value>>;
export type MakeInputs = (without?: "namespace" | "authorizer") => Inputs;

// In looks at a field: about a tenth of a second of work, a quarter, and a second.
const costOfOne = 1_000_000;
const costOfConditions = 2_500_000;
const costOfAll = 10_000_000;
const longestMessage = 5 * 1024;

class OutOfBudget extends Error {
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

export function evaluate(policy: CompiledPolicy, failurePolicy: string, inputs: MakeInputs): Denial[] {
  const onError = (message: string): Denial[] => (failurePolicy === "Ignore" ? [] : [{ message, reason: "Invalid" }]);
  try {
    const judged = judgeConditions(policy, inputs);
    if (judged.errors.length > 0) return onError(joined(judged.errors));
    if (!judged.isMet) return [];
    const run = new Run(policy, inputs(), costOfAll);
    const results = policy.validations.map(({ condition }) => run.attempt(condition));
    // Messages cannot ask the authorizer, and share what is left of the budget.
    const messages = new Run(policy, inputs("authorizer"), run.left);
    const denials = policy.validations.flatMap((validation, i) => {
      const result = results[i];
      if (result instanceof CelError) return onError(result.message);
      if (result === true) return [];
      const { message, error } = messageOf(validation, messages);
      return error !== undefined ? onError(error) : [{ message, reason: validation.source.reason ?? "Invalid" }];
    });
    return [...denials, ...annotationErrors(policy, inputs).flatMap(onError).map(certain)];
  } catch (error) {
    if (error instanceof OutOfBudget) return onError(error.message);
    throw error;
  }
}

const certain = (denial: Denial): Denial => ({ ...denial, isCertain: true });

/** One that is false settles it, whatever goes wrong with others. */
function judgeConditions(policy: CompiledPolicy, inputs: MakeInputs): { isMet: boolean; errors: string[] } {
  const run = new Run(policy, inputs("namespace"), costOfConditions);
  const results = policy.matchConditions.map((condition) => run.attempt(condition));
  if (results.includes(false)) return { isMet: false, errors: [] };
  return { isMet: true, errors: results.flatMap((result) => (result instanceof CelError ? [result.message] : [])) };
}

function messageOf(
  { source, message }: CompiledPolicy["validations"][number],
  run: Run,
): { message: string; error?: string } {
  const plain = source.message?.trim() || `failed expression: ${source.expression.trim()}`;
  if (!message) return { message: plain };
  try {
    const text = run.attempt(message);
    const trimmed = typeof text === "string" ? text.trim() : "";
    const isUsable = trimmed !== "" && Buffer.byteLength(trimmed) <= longestMessage && !trimmed.includes("\n");
    return { message: isUsable ? trimmed : plain };
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return { message: plain, error: `failed messageExpression: ${error.message}` };
  }
}

/** There is no audit log to write them to; but one that cannot be made is an error like any other. */
function annotationErrors(policy: CompiledPolicy, inputs: MakeInputs): string[] {
  const run = new Run(policy, inputs("authorizer"), costOfAll);
  return policy.auditAnnotations.flatMap(({ value }) => {
    const result = run.attempt(value);
    return result instanceof CelError ? [result.message] : [];
  });
}

class Run {
  #left: number;
  readonly #inputs: Inputs;

  constructor({ variables }: CompiledPolicy, inputs: Inputs, budget: number) {
    this.#left = budget;
    this.#inputs = Object.create(inputs, {
      variables: { value: this.#lazily(new Map(variables.map(({ name, value }) => [name, value]))) },
    }) as Inputs;
  }

  get left(): number {
    return this.#left;
  }

  /** What it comes to, or what went wrong with it. */
  attempt(compiled: Compiled): Value | CelError {
    const result = this.#run(compiled);
    if (this.#left < 0) throw new OutOfBudget();
    if (!(result instanceof CelError) || !compiled.expression) return result;
    return new CelError(`expression '${compiled.text}' resulted in error: ${result.message}`);
  }

  /** Each is computed when it is first asked for, and once. */
  #lazily(variables: ReadonlyMap<string, Compiled>): Struct {
    const fields = [...variables].map(([name, compiled]) => {
      let known: Value | CelError | undefined;
      const read = () => {
        known ??= this.#run(compiled);
        if (!(known instanceof CelError)) return known;
        throw new CelError(`composited variable "${name}" fails to evaluate: ${known.message}`);
      };
      return [name, { jsonName: name, read }] as const;
    });
    return new Struct(Object.fromEntries(fields.map(([name]) => [name, true])), new Map(fields));
  }

  #run({ expression, problem }: Compiled): Value | CelError {
    if (!expression) return new CelError(`compilation error: ${problem}`);
    const frame = new Frame(this.#inputs, costOfOne);
    try {
      return expression.run(frame);
    } catch (error) {
      if (error instanceof CelError) return error;
      if (error instanceof CostExceeded) return new CelError(error.message);
      throw error;
    } finally {
      this.#left -= costOfOne - frame.left;
    }
  }
}

/** As Go shows several errors. */
function joined(errors: readonly string[]): string {
  const unique = [...new Set(errors)];
  return unique.length === 1 ? (unique[0] as string) : `[${unique.join(", ")}]`;
}
