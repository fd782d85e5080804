/** Patterns as RE2 has them: no look-behind, and never slower than the text is long. */
import { RE2JS } from "re2js";
import { global, member, type Overload } from "../functions.ts";
import { CelError } from "../values.ts";

// Most patterns stand in the rule itself, and are the same each time.
const mostKept = 500;
const kept = new Map<string, RE2JS>();

export function compilePattern(pattern: string): RE2JS {
  const known = kept.get(pattern);
  if (known) return known;
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    throw new CelError((error as Error).message);
  }
  if (kept.size >= mostKept) kept.delete(kept.keys().next().value as string);
  kept.set(pattern, compiled);
  return compiled;
}

const work = (text: string, pattern: string): number => (text.length * pattern.length) / 40;
const matches = (text: string, pattern: string): boolean => compilePattern(pattern).matcher(text).find();

export const regex: Overload[] = [
  global("matches(string, string): bool", matches, work),
  member("string.matches(string): bool", matches, work),
  member("string.find(string): string", (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? "", work),
  member("string.findAll(string): list<string>", (text: string, pattern: string) => findAll(text, pattern, -1), work),
  member(
    "string.findAll(string, int): list<string>",
    (text: string, pattern: string, most: bigint) => findAll(text, pattern, Number(most)),
    work,
  ),
];

function findAll(text: string, pattern: string, most: number): string[] {
  const matcher = compilePattern(pattern).matcher(text);
  const found: string[] = [];
  while ((most < 0 || found.length < most) && matcher.find()) found.push(matcher.group() ?? "");
  return found;
}
