/**
 * Keys that a YAML text says twice, in the words of Go's decoder, which tells them by the line of the later value. `1` and
 * `'1'` are two keys there, and what `<<` brings in counts as said where it stands.
 */
import { type Document, isMap, isScalar, isSeq, type LineCounter } from "yaml";
import { goFloat, goQuote } from "../../errors/go-text.ts";

/** Such as `line 6: key "a" already set in map`; of what is inside of a value before the value itself. */
export function repeatedKeys(document: Document, lines: LineCounter): string[] {
  const found: string[] = [];
  const lineOf = (node: unknown) => lines.linePos((node as { range?: [number] } | null)?.range?.[0] ?? 0).line;

  function visit(node: unknown): void {
    if (isSeq(node)) for (const item of node.items) visit(item);
    else if (isMap(node)) visitMap(node, new Set());
  }

  function visitMap(map: unknown, known: Set<string>): void {
    if (!isMap(map)) return;
    for (const { key, value } of map.items) {
      if (isMerge(key)) {
        // Of several maps the first one counts most, and so is put in last.
        for (const merged of isSeq(value) ? value.items.toReversed() : [value]) visitMap(merged, known);
        continue;
      }
      visit(value);
      const name = keyText(key);
      if (known.has(name)) found.push(`line ${lineOf(value)}: key ${name} already set in map`);
      known.add(name);
    }
  }

  visit(document.contents);
  return found;
}

function isMerge(key: unknown): boolean {
  return isScalar(key) && typeof key.value === "symbol";
}

/** Also what tells keys apart: a text has quotes. */
function keyText(key: unknown): string {
  const value = isScalar(key) ? key.value : String(key);
  if (typeof value === "string") return goQuote(value);
  return typeof value === "number" && !Number.isInteger(value) ? goFloat(value) : String(value);
}
