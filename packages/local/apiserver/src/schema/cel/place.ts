/** Where a mistake in a part of an expression is shown: at its sign rather than at its start, as cel-go does it. */
import type { Node } from "./parse.ts";

export function placeOf(node: Node, text: string): number {
  const after = (part: Node, sign: string) => text.indexOf(sign, part.end);
  const [first, second] = Array.isArray(node.args) ? (node.args as [Node, Node]) : [node, node];
  switch (node.op) {
    case ".":
    case ".?":
      return after(first, ".");
    case "[]":
    case "[?]":
      return after(first, "[");
    case "?:":
      return after(first, "?");
    case "call":
      return text.indexOf("(", node.start);
    case "rcall":
      return after(second, "(");
    default:
      return isBinary(node.op) ? after(first, node.op) : node.start;
  }
}

const isBinary = (op: string): boolean => /^(?:[=!<>]=|[-+*/%<>]|in|&&|\|\|)$/.test(op);
