/** A text that is not what it should be: a selector, a quantity, a duration or a time. */
export class ParseError extends Error {
  /** `new ParseError("duration", "2x", 'unknown unit "x"')` says `cannot read duration "2x": unknown unit "x"`. */
  constructor(what: string, text: string, problem: string) {
    super(`cannot read ${what} ${quoted(text)}: ${problem}`);
    this.name = "ParseError";
  }
}

const longestQuote = 100;

/** The text in quotes for an error or a log line: control characters escaped, a long text cut. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text);
}
