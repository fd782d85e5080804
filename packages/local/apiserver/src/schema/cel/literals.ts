/** Patterns, durations and times that stand in the rule itself are checked when the rule is. */
import { ParseError, parseDuration } from "@berg/apimachinery";
import { compilePattern } from "./library/regex.ts";
import { parseTimestamp } from "./library/timestamps.ts";
import type { Node, Problem } from "./parse.ts";
import { CelError } from "./values.ts";

const checks: Record<string, { argument: number; read(text: string): unknown }> = {
  matches: { argument: 1, read: compilePattern },
  duration: { argument: 0, read: parseDuration },
  timestamp: { argument: 0, read: parseTimestamp },
};

export function checkLiterals(name: string, args: readonly Node[]): Problem[] {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  const node = check && args[check.argument];
  if (!check || node?.op !== "value" || typeof node.args !== "string") return [];
  try {
    check.read(node.args);
    return [];
  } catch (error) {
    if (!(error instanceof CelError || error instanceof ParseError)) throw error;
    return [{ at: node.start, text: `invalid ${name} argument` }];
  }
}
