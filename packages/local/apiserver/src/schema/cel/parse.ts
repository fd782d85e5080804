/**
 * From the text of an expression to its tree. The parser is cel-js'. Its checker and evaluator are not used: they
 * refuse `has(self.matches[0].path)`, which Gateway API's CRDs say, match patterns with JavaScript's regular
 * expressions, which can run for ever, count UTF-16 units as characters, and cannot be stopped.
 */
import { Environment, ParseError } from "@marcbachmann/cel-js";

export interface Node {
  readonly op: string;
  /** By op: a value, a name, one node or several. */
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
}

export interface Problem {
  /** Where in the text, in UTF-16 units. */
  at: number;
  text: string;
}

// Deeper or longer than any rule anybody wrote; the text itself is limited by the size of a request.
const parser = new Environment({
  enableOptionalTypes: true,
  limits: { maxAstNodes: 100_000, maxDepth: 250, maxListElements: 10_000, maxMapEntries: 10_000 },
});

export function parseExpression(text: string): { tree: Node } | { problem: Problem } {
  try {
    return { tree: parser.parse(text).ast as unknown as Node };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { problem: problemOf(error) };
  }
}

const anyExpression =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** In the API server's words where they are known. */
function problemOf({ code, summary, range }: ParseError): Problem {
  const at = range?.start ?? 0;
  if (code === "invalid_macro_argument") return { at: at - 1, text: "argument must be a simple name" };
  if (summary !== "Unexpected token: EOF") return { at, text: `Syntax error: ${summary}` };
  return { at, text: `Syntax error: mismatched input '<EOF>' expecting ${anyExpression}` };
}

/** As the API server shows them: each with the line and a mark under the place. */
export function formatProblems(source: string, problems: readonly Problem[]): string {
  const lines = source.split("\n");
  return [...problems]
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) => {
      const before = source.slice(0, at).split("\n");
      const column = [...(before.at(-1) as string)];
      const line = (lines[before.length - 1] as string).replaceAll("\t", " ");
      const dots = column.map((letter) => (letter.charCodeAt(0) > 127 ? "．" : ".")).join("");
      return `ERROR: <input>:${before.length}:${column.length + 1}: ${text}\n | ${line}\n | ${dots}^`;
    })
    .join("\n");
}
