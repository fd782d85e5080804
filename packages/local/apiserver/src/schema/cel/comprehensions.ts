/** An expression for each element of a list or a map: the loop that all comprehensions share. */
import type { Collected, Comprehension } from "./collectors.ts";
import type { Compiler } from "./compile.ts";
import type { Frame } from "./frame.ts";
import type { Expression } from "./functions.ts";
import type { Node } from "./parse.ts";
import { type CelType, dyn, formatType, int, isDyn } from "./types.ts";
import { CelError, isList, typeNameOf, type Value } from "./values.ts";

export function comprehension(
  compiler: Compiler,
  shape: Comprehension,
  receiver: Node,
  args: readonly Node[],
): Expression {
  const names = args.slice(0, shape.variables);
  const wrong = names.find(({ op }) => op !== "id");
  if (wrong) return compiler.orProblem(wrong.start, "argument must be a simple name");
  const range = compiler.compile(receiver);
  const types = iterated(range.type);
  if (!types) {
    const text = `expression of type '${formatType(range.type)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    return compiler.orProblem(compiler.place(receiver), text);
  }
  const [key, element] = shape.variables === 1 ? [int, types.single] : [types.key, types.value];
  const [first, second] = names.map(({ args }) => args as string) as [string, string];
  const rest = args.slice(shape.variables);
  const finish = (keySlot: number, slot: number): Expression => {
    const filter = shape.isFiltered ? compiler.condition(rest[0] as Node) : undefined;
    const last = rest.at(-1) as Node;
    const body = shape.isCondition ? compiler.condition(last) : compiler.compile(last);
    const collected = shape.collect({ range: range.type, element, filter, body });
    return { type: collected.type, run: (frame) => iterate(range, frame, shape.variables, keySlot, slot, collected) };
  };
  if (shape.variables === 1) return compiler.withVariable(first, element, (slot) => finish(-1, slot));
  return compiler.withVariable(first, key, (keySlot) =>
    compiler.withVariable(second, element, (slot) => finish(keySlot, slot)),
  );
}

function iterated(type: CelType): { single: CelType; key: CelType; value: CelType } | undefined {
  if (isDyn(type)) return { single: dyn, key: dyn, value: dyn };
  const [first, second] = type.of as [CelType, CelType];
  if (type.name === "list") return { single: first, key: int, value: first };
  return type.name === "map" ? { single: first, key: first, value: second } : undefined;
}

function iterate(
  range: Expression,
  frame: Frame,
  variables: 1 | 2,
  keySlot: number,
  slot: number,
  collected: Collected,
): Value {
  const collector = collected.start(frame);
  const take = (key: Value, value: Value): boolean => {
    frame.spend(1);
    if (variables === 2) frame.variables[keySlot] = key;
    frame.variables[slot] = value;
    return collector.take(key, value);
  };
  const values = range.run(frame);
  if (isList(values)) {
    for (let at = 0; at < values.length; at++) if (!take(BigInt(at), values[at] as Value)) break;
  } else if (values instanceof Map) {
    for (const [key, value] of values) if (!take(key, variables === 1 ? key : value)) break;
  } else throw new CelError(`got 'types.${goTypeName(values)}', expected iterable type`);
  return collector.result();
}

/** What Go calls it: `String`, `Null`, `Timestamp`. */
function goTypeName(value: Value): string {
  const name = typeNameOf(value).split(".").at(-1) as string;
  const plain = name === "null_type" ? "null" : name;
  return plain.slice(0, 1).toUpperCase() + plain.slice(1);
}
