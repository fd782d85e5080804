/**
 * From the text of an expression to something that runs, checking types on the way: each node becomes a closure over
 * those of its parts. All mistakes of an expression are found at once, as cel-go does it.
 *
 * One class, and a long one, since every kind of node is compiled in terms of the others.
 */
import { UnsignedInt } from "@marcbachmann/cel-js/evaluator";
import type { Frame } from "./frame.ts";
import type { Expression } from "./functions.ts";
import { functions, typeNames } from "./library/all.ts";
import { checkLiterals } from "./literals.ts";
import { choose, common, logical } from "./logic.ts";
import { expandMacro } from "./macros.ts";
import { type Node, type Problem, parseExpression } from "./parse.ts";
import { placeOf } from "./place.ts";
import { index, indexOptional, keyOf, select, selectOptional } from "./select.ts";
import { bool, broken, type CelType, dyn, fits, formatType, listOf, mapOf, typeOf } from "./types.ts";
import { CelError, TypeValue, typeNameOf, Uint, type Value } from "./values.ts";

/** What an expression can name beside what it binds itself: `self`, or `authorizer.requestResource`. */
export type Environment = ReadonlyMap<string, CelType>;

export interface Compiled {
  /** Undefined where there are problems. */
  expression: Expression | undefined;
  problems: Problem[];
  /** Those of its environment that it names. */
  used: ReadonlySet<string>;
}

export function compileExpression(text: string, environment: Environment): Compiled {
  const parsed = parseExpression(text);
  if ("problem" in parsed) return { expression: undefined, problems: [parsed.problem], used: new Set() };
  const compiler = new Compiler(text, environment);
  const expression = compiler.compile(parsed.tree);
  const { problems, used } = compiler;
  return { expression: problems.length === 0 ? expression : undefined, problems, used };
}

interface Variable {
  type: CelType;
  slot: number;
}

export class Compiler {
  readonly problems: Problem[] = [];
  readonly used = new Set<string>();
  readonly #text: string;
  readonly #environment: Environment;
  readonly #variables = new Map<string, Variable>();
  #slots = 0;

  constructor(text: string, environment: Environment) {
    this.#text = text;
    this.#environment = environment;
  }

  compile(node: Node): Expression {
    switch (node.op) {
      case "value":
        return this.#literal(node, node.args);
      case "id":
        return this.#identifier(node);
      case ".":
      case ".?": {
        const [receiver, name] = node.args as [Node, string];
        const whole = node.op === "." && receiver.op === "id" ? this.#named(`${receiver.args}.${name}`) : undefined;
        if (whole) return whole;
        const found = (node.op === "." ? select : selectOptional)(this.compile(receiver), name);
        return this.orProblem(this.place(node), found);
      }
      case "[]":
      case "[?]": {
        const [receiver, key] = node.args as [Node, Node];
        const found = (node.op === "[]" ? index : indexOptional)(this.compile(receiver), this.compile(key));
        return this.orProblem(this.place(node), found);
      }
      case "?:": {
        const [condition, yes, no] = (node.args as Node[]).map((part) => this.compile(part)) as [
          Expression,
          Expression,
          Expression,
        ];
        return this.orProblem(this.place(node), choose(condition, yes, no));
      }
      case "&&":
      case "||": {
        const [left, right] = node.args as [Node, Node];
        return logical(node.op, this.condition(left), this.condition(right));
      }
      case "list":
        return this.#list(node.args as Node[]);
      case "map":
        return this.#map(node.args as [Node, Node][]);
      case "call":
        return this.#call(node);
      case "rcall":
        return this.#memberCall(node);
      case "!_":
      case "-_":
        return this.#unary(node);
      default:
        return this.#binary(node);
    }
  }

  condition(node: Node): Expression {
    const expression = this.compile(node);
    if (fits(bool, expression.type)) return expression;
    return this.orProblem(this.place(node), `expected type 'bool' but found '${formatType(expression.type)}'`);
  }

  /** For a comprehension: what `body` compiles sees the variable, in a slot of its own. */
  withVariable<T>(name: string, type: CelType, body: (slot: number) => T): T {
    const hidden = this.#variables.get(name);
    const slot = this.#slots++;
    this.#variables.set(name, { type, slot });
    const result = body(slot);
    if (hidden) this.#variables.set(name, hidden);
    else this.#variables.delete(name);
    return result;
  }

  orProblem(at: number, found: Expression | string): Expression {
    if (typeof found !== "string") return found;
    // What comes of an earlier mistake is not told again.
    if (!found.includes(formatType(broken))) this.problems.push({ at, text: found });
    return { type: broken, run: () => null };
  }

  place(node: Node): number {
    return placeOf(node, this.#text);
  }

  #literal(node: Node, value: unknown): Expression {
    const isTooLarge = typeof value === "bigint" && BigInt.asIntN(64, value) !== value;
    return isTooLarge ? this.orProblem(node.start, "invalid int literal") : literal(value);
  }

  #identifier(node: Node): Expression {
    const name = node.args as string;
    const declared = this.#variables.get(name);
    if (declared) {
      const { slot, type } = declared;
      return variable(type, (frame) => frame.variables[slot] as Value);
    }
    const named = this.#named(name);
    if (named) return named;
    const typeName = typeNames.get(name);
    if (typeName !== undefined) return { type: typeOf("type"), run: () => new TypeValue(typeName) };
    return this.orProblem(node.start, `undeclared reference to '${name}' (in container '')`);
  }

  #named(name: string): Expression | undefined {
    const type = this.#environment.get(name);
    if (!type) return undefined;
    this.used.add(name);
    return variable(type, ({ inputs }) => {
      const value = inputs[name];
      if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
      return value;
    });
  }

  /** Only what is formatted may be of several types. */
  #mixedList(node: Node): Expression {
    return node.op === "list" ? this.#list(node.args as Node[], dyn) : this.compile(node);
  }

  #list(nodes: Node[], type?: CelType): Expression {
    const items = nodes.map((node) => this.compile(node));
    return {
      type: listOf(type ?? this.#sameType(nodes, items)),
      run(frame) {
        frame.spend(10);
        return items.map((item) => item.run(frame));
      },
    };
  }

  #map(entries: [Node, Node][]): Expression {
    const keys = entries.map(([key]) => this.compile(key));
    const values = entries.map(([, value]) => this.compile(value));
    const type = mapOf(
      this.#sameType(
        entries.map(([key]) => key),
        keys,
      ),
      this.#sameType(
        entries.map(([, value]) => value),
        values,
      ),
    );
    return {
      type,
      run(frame) {
        frame.spend(30);
        return new Map(keys.map((key, at) => [keyOf(key.run(frame)), (values[at] as Expression).run(frame)]));
      },
    };
  }

  #sameType(nodes: Node[], items: Expression[]): CelType {
    let type = items[0]?.type ?? dyn;
    for (const [at, item] of items.entries()) {
      const both = common(type, item.type);
      if (both) type = both;
      else {
        const text = `expected type '${formatType(type)}' but found '${formatType(item.type)}'`;
        this.orProblem(this.place(nodes[at] as Node), text);
      }
    }
    return type;
  }

  #call(node: Node): Expression {
    const [name, nodes] = node.args as [string, Node[]];
    const at = this.place(node);
    const macro = expandMacro(this, name, undefined, nodes, at);
    return macro ?? this.#apply(name, false, nodes, at);
  }

  #memberCall(node: Node): Expression {
    const [name, receiver, nodes] = node.args as [string, Node, Node[]];
    const at = this.place(node);
    if (receiver.op === "id" && !this.#variables.has(receiver.args as string)) {
      const qualified = `${receiver.args}.${name}`;
      if (functions.has(qualified, false)) return this.#apply(qualified, false, nodes, at);
    }
    return expandMacro(this, name, receiver, nodes, at) ?? this.#apply(name, true, [receiver, ...nodes], at);
  }

  #apply(name: string, isMember: boolean, nodes: Node[], at: number): Expression {
    const args = nodes.map((node, at) => (name === "format" && at === 1 ? this.#mixedList(node) : this.compile(node)));
    for (const problem of checkLiterals(name, nodes)) this.problems.push(problem);
    return this.orProblem(at, functions.resolve(name, isMember, args));
  }

  #unary(node: Node): Expression {
    const inner = node.args as Node;
    // Only with its sign it is an int.
    if (node.op === "-_" && inner.op === "value" && typeof inner.args === "bigint")
      return this.#literal(node, -inner.args);
    return this.orProblem(node.start, functions.resolve(node.op, false, [this.compile(inner)]));
  }

  #binary(node: Node): Expression {
    const [left, right] = node.args as [Node, Node];
    const name = node.op === "in" ? "@in" : `_${node.op}_`;
    const args = [this.compile(left), this.compile(right)];
    return this.orProblem(this.place(node), functions.resolve(name, false, args));
  }
}

function variable(type: CelType, read: (frame: Frame) => Value): Expression {
  return {
    type,
    run(frame) {
      frame.spend(1);
      return read(frame);
    },
  };
}

function literal(parsed: unknown): Expression {
  const value = parsed instanceof UnsignedInt ? new Uint(BigInt(parsed.valueOf())) : (parsed as Value);
  const name = typeNameOf(value);
  return { type: typeOf(name === "null_type" ? "null" : name), run: () => value };
}
