/**
 * Values as Go prints them: what stands in the error texts of Kubernetes. Strings as `%q`, numbers as `%v`, all else as
 * its JSON encoder, which keeps `<`, `>` and `&` out of HTML.
 */

/** A value that is wrong, as an error shows it. */
export function goText(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return goNumber(value);
  return goJson(value);
}

/** `%q`. */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|\p{C}|(?! )\p{Z}/gu, escapeCharacter)}"`;
}

/** `%v`: whole numbers are integers there, unless they do not fit. */
export function goNumber(value: number): string {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63 ? BigInt(value).toString() : goFloat(value);
}

/** `%v` of a float64: with an exponent, of at least two digits, from 1e+06 on and below 1e-04. */
export function goFloat(value: number): string {
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 1e-4 && size < 1e6);
  return isPlain ? String(value) : value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const shortEscapes: Record<string, string> = {
  '"': '\\"',
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

function escapeCharacter(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
