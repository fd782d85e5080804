/** What looks like a call and is not: `has`, comprehensions such as `all`, and what optional values are asked. */

import { comprehensions } from "./collectors.ts";
import type { Compiler } from "./compile.ts";
import { comprehension } from "./comprehensions.ts";
import { type Expression, noMatch } from "./functions.ts";
import { common } from "./logic.ts";
import type { Node } from "./parse.ts";
import { presence } from "./select.ts";
import { dyn, isDyn, optionalOf } from "./types.ts";
import { none, noSuchOverload, Optional, type Value } from "./values.ts";

/** Undefined where it is a call after all. `at` is where mistakes are shown. */
export function expandMacro(
  compiler: Compiler,
  name: string,
  receiver: Node | undefined,
  args: readonly Node[],
  at: number,
): Expression | undefined {
  if (!receiver) return name === "has" && args.length === 1 ? has(compiler, args[0] as Node, at) : undefined;
  const shape = comprehensions.get(`${name}/${args.length}`);
  if (shape) return comprehension(compiler, shape, receiver, args);
  const optional = optionals.get(`${name}/${args.length}`);
  return optional?.(compiler, receiver, args, at);
}

function has(compiler: Compiler, field: Node, at: number): Expression {
  if (field.op !== ".") return compiler.orProblem(compiler.place(field), "invalid argument to has() macro");
  const [receiver, name] = field.args as [Node, string];
  return compiler.orProblem(at, presence(compiler.compile(receiver), name));
}

type OptionalMacro = (compiler: Compiler, receiver: Node, args: readonly Node[], at: number) => Expression | undefined;

/** What stands behind `or` is run only where it is needed. */
const optionals = new Map<string, OptionalMacro>([
  ["or/1", (compiler, receiver, [other], at) => otherwise(compiler, "or", receiver, other as Node, at)],
  ["orValue/1", (compiler, receiver, [other], at) => otherwise(compiler, "orValue", receiver, other as Node, at)],
  ["optMap/2", (compiler, receiver, args, at) => mapped(compiler, "optMap", receiver, args, at)],
  ["optFlatMap/2", (compiler, receiver, args, at) => mapped(compiler, "optFlatMap", receiver, args, at)],
]);

function otherwise(compiler: Compiler, name: "or" | "orValue", receiver: Node, other: Node, at: number): Expression {
  const first = compiler.compile(receiver);
  const second = compiler.compile(other);
  const wanted = name === "or" ? second.type : optionalOf(second.type);
  const type = common(isDyn(first.type) ? optionalOf(dyn) : first.type, wanted);
  if (!type) return compiler.orProblem(at, noMatch(name, true, [first, second]));
  return {
    type: name === "or" ? type : (type.of[0] ?? dyn),
    run(frame) {
      frame.spend(1);
      const value = optionalValue(first.run(frame));
      if (value.value === undefined) return second.run(frame);
      return name === "or" ? value : value.value;
    },
  };
}

function mapped(
  compiler: Compiler,
  name: "optMap" | "optFlatMap",
  receiver: Node,
  [variable, body]: readonly Node[],
  at: number,
): Expression {
  if (variable?.op !== "id") return compiler.orProblem(at, `${name}() variable name must be a simple identifier`);
  const range = compiler.compile(receiver);
  if (!isDyn(range.type) && range.type.name !== "optional") return compiler.orProblem(at, noMatch(name, true, [range]));
  return compiler.withVariable(variable.args as string, range.type.of[0] ?? dyn, (slot) => {
    const result = compiler.compile(body as Node);
    return {
      type: name === "optMap" ? optionalOf(result.type) : result.type,
      run(frame): Value {
        frame.spend(1);
        const { value } = optionalValue(range.run(frame));
        if (value === undefined) return none;
        frame.variables[slot] = value;
        const given = result.run(frame);
        return name === "optMap" ? new Optional(given) : optionalValue(given);
      },
    };
  });
}

function optionalValue(value: Value): Optional {
  if (value instanceof Optional) return value;
  throw noSuchOverload();
}
