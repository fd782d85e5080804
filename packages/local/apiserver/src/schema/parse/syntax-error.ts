/**
 * Says what is wrong with a text that is not JSON, in the words of Go's decoder: `invalid character 'x' after top-level
 * value`. Run only where JSON.parse has refused it.
 */
import { goQuote } from "../../errors/go-text.ts";
import { deepest, tooDeep } from "../decode/depth.ts";
import { endOfString } from "./duplicate-fields.ts";

/** How deep lists and objects may stand in each other in Kubernetes. */
const deepestOfKubernetes = 10_000;

/** What stopped the reading. */
class Stop extends Error {}

/** What a text that is not JSON, or too deep, is refused with. */
export function syntaxErrorOf(text: string): string {
  try {
    new Reader(text).readAll();
  } catch (error) {
    if (error instanceof Stop) return error.message;
    throw error;
  }
  return "invalid JSON";
}

/** Of a text that is JSON: undefined where it is not too deep. */
export function depthErrorOf(text: string): string | undefined {
  const depth = text.length > 2 * deepest ? depthOf(text) : 0;
  if (depth > deepestOfKubernetes) return syntaxErrorOf(text);
  return depth > deepest ? tooDeep : undefined;
}

function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) most = Math.max(most, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return most;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): void {
    // Not by recursion: the text may be deeper than the stack.
    const open: ("{" | "[")[] = [];
    for (;;) {
      this.#skipSpace();
      const first = this.#peek();
      if (first === "{" || first === "[") {
        if (open.length >= deepestOfKubernetes) this.#refuse("exceeded max depth");
        this.#at++;
        open.push(first);
        this.#skipSpace();
        if (this.#peek() !== (first === "{" ? "}" : "]")) {
          if (first === "{") this.#key();
          continue;
        }
      } else {
        this.#scalar();
      }
      if (!this.#afterValue(open)) return;
    }
  }

  /** Whether another value follows. */
  #afterValue(open: ("{" | "[")[]): boolean {
    for (;;) {
      this.#skipSpace();
      const inside = open.at(-1);
      if (inside === undefined) {
        if (this.#at < this.#text.length) this.#refuse("after top-level value");
        return false;
      }
      const next = this.#peek();
      if (next === (inside === "{" ? "}" : "]")) {
        this.#at++;
        open.pop();
      } else if (next === ",") {
        this.#at++;
        if (inside === "{") this.#key();
        return true;
      } else {
        this.#refuse(inside === "{" ? "after object key:value pair" : "after array element");
      }
    }
  }

  #key(): void {
    this.#skipSpace();
    if (this.#peek() !== '"') this.#refuse("looking for beginning of object key string");
    this.#string();
    this.#skipSpace();
    if (this.#peek() !== ":") this.#refuse("after object key");
    this.#at++;
  }

  #scalar(): void {
    const first = this.#peek();
    const literal = ["true", "false", "null"].find((word) => word.startsWith(first));
    if (first === '"') this.#string();
    else if (first === "-" || /[0-9]/.test(first)) this.#number();
    else if (literal !== undefined) this.#literal(literal);
    else this.#refuse("looking for beginning of value");
  }

  #literal(literal: string): void {
    for (const expected of literal) {
      if (this.#peek() !== expected) this.#refuse(`in literal ${literal} (expecting '${expected}')`);
      this.#at++;
    }
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const next = this.#peek();
      if (next < " ") this.#refuse("in string literal");
      this.#at++;
      if (next === '"') return;
      if (next === "\\") this.#escape();
    }
  }

  #escape(): void {
    const code = this.#peek();
    if (!/["\\/bfnrtu]/.test(code)) this.#refuse("in string escape code");
    this.#at++;
    if (code !== "u") return;
    for (let digits = 0; digits < 4; digits++) {
      if (!/[0-9a-fA-F]/.test(this.#peek())) this.#refuse("in \\u hexadecimal character escape");
      this.#at++;
    }
  }

  #number(): void {
    if (this.#peek() === "-") this.#at++;
    if (this.#peek() === "0") this.#at++;
    else this.#digits("in numeric literal");
    if (this.#text[this.#at] === ".") {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (/[eE]/.test(this.#text[this.#at] ?? "")) {
      this.#at++;
      if (/[+-]/.test(this.#peek())) this.#at++;
      this.#digits("in exponent of numeric literal");
    }
  }

  #digits(place: string): void {
    if (!/[0-9]/.test(this.#peek())) this.#refuse(place);
    while (/[0-9]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #peek(): string {
    const next = this.#text[this.#at];
    if (next === undefined) throw new Stop("unexpected end of JSON input");
    return next;
  }

  #refuse(place: string): never {
    throw new Stop(`invalid character ${quoteByte(this.#peek(), this.#text, this.#at)} ${place}`);
  }
}

/** Go reads bytes: of a character of several, it shows the first. */
function quoteByte(character: string, text: string, at: number): string {
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  const byte = Buffer.from(String.fromCodePoint(text.codePointAt(at) ?? 0))[0] ?? 0;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
