/** What Kubernetes says of a label selector that it cannot read: the first thing that is wrong, in its words. */
import { formatFieldError, invalid } from "../errors/field-error.ts";
import { labelValueProblems, qualifiedNameProblems } from "../schema/metadata/names.ts";

const end = "";
const tokens = /==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+/g;
const symbols = new Set(["==", "!=", "=", "!", "(", ")", ",", "<", ">"]);
const operators = ["=", "==", "in", "notin", "!=", ">", "<"];
const operatorsAsTold = "in, notin, =, ==, !=, gt, lt";

export function labelSelectorProblem(text: string): string {
  const left = text.match(tokens) ?? [];
  const isWord = (token: string) => token !== end && !symbols.has(token);
  const peek = () => left[0] ?? end;
  const take = () => left.shift() ?? end;
  for (;;) {
    if (!isWord(peek()) && peek() !== "!") return `found '${peek()}', expected: !, identifier, or 'end of string'`;
    const problem = requirementProblem();
    if (problem !== undefined) return `unable to parse requirement: ${problem}`;
    const next = take();
    if (next !== ",") return `found '${next}', expected: ',' or 'end of string'`;
    if (!isWord(peek()) && peek() !== "!") return `found '${peek()}', expected: identifier after ','`;
  }

  function requirementProblem(): string | undefined {
    const isAbsence = peek() === "!";
    if (isAbsence) take();
    const key = take();
    if (!isWord(key)) return `found '${key}', expected: identifier`;
    const keyProblems = qualifiedNameProblems(key);
    if (keyProblems.length > 0) return formatFieldError(invalid("<nil>", key, keyProblems.join("; ")));
    if (isAbsence || peek() === end || peek() === ",") return undefined;
    const operator = take();
    if (!operators.includes(operator)) return `found '${operator}', expected: ${operatorsAsTold}`;
    return operator === "in" || operator === "notin" ? setProblem(key) : exactProblem(key, operator);
  }

  function exactProblem(key: string, operator: string): string | undefined {
    const isMissing = peek() === end || peek() === ",";
    const value = isMissing ? "" : take();
    if (!isMissing && !isWord(value)) return `found '${value}', expected: identifier`;
    const isNumber = /^[+-]?\d+$/.test(value);
    const why = "for 'Gt', 'Lt' operators, the value must be an integer";
    const compares = operator === ">" || operator === "<";
    return told([
      ...(compares && !isNumber ? [formatFieldError(invalid("values[0]", value, why))] : []),
      ...valueProblems(key, [value]),
    ]);
  }

  function setProblem(key: string): string | undefined {
    const open = take();
    if (open !== "(") return `found '${open}' expected: '('`;
    const first = peek();
    if (!isWord(first) && first !== "," && first !== ")") return `found '${first}', expected: ',', ')' or identifier`;
    const values = new Set<string>(first === ")" ? [""] : []);
    while (peek() !== ")") {
      const token = take();
      if (isWord(token)) {
        values.add(token);
        if (peek() !== "," && peek() !== ")") return `found '${peek()}', expected: ',' or ')'`;
      } else if (token === ",") {
        if (values.size === 0 || peek() === ")" || peek() === ",") values.add("");
      } else return `found '${token}', expected: ',', or identifier`;
    }
    take();
    return told(valueProblems(key, [...values].sort()));
  }
}

function valueProblems(key: string, values: readonly string[]): string[] {
  return values.flatMap((value, index) => {
    const problems = labelValueProblems(value);
    return problems.length === 0
      ? []
      : [formatFieldError(invalid(`values[${index}][${key}]`, value, problems.join("; ")))];
  });
}

function told(problems: readonly string[]): string | undefined {
  if (problems.length < 2) return problems[0];
  return `[${problems.join(", ")}]`;
}
