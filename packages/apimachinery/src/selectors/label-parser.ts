import { ParseError, quoted } from "../parse-error.ts";
import { type LabelOperator, type LabelRequirement, makeRequirement } from "./label-requirement.ts";
import { LabelMatcher, selectEverything } from "./label-selector.ts";

/**
 * Reads the text form, as `kubectl -l` and the `labelSelector` of a request have it. The empty text selects everything.
 *
 *     parseLabelSelector("app=web,tier in (front,back),!legacy,shard>3").matches(pod.metadata.labels)
 */
export function parseLabelSelector(text: string): LabelMatcher {
  const requirements = new Parser(text).parse();
  return requirements.length === 0 ? selectEverything : new LabelMatcher(requirements);
}

const end = "";
const symbols = new Set(["=", "==", "!=", "!", "(", ")", ",", "<", ">"]);
const symbolOrWord = /==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+/g;
const binaryOperators = new Set<string>(["=", "==", "!=", "in", "notin", ">", "<"]);

/** Recursive descent over words and symbols. `in` and `notin` are words, and operators only where one is due. */
class Parser {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(symbolOrWord) ?? [];
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#peek() === end) return requirements;
    do requirements.push(this.#requirement());
    while (this.#take(","));
    if (this.#peek() !== end) throw this.#expected('"," or the end');
    return requirements;
  }

  #requirement(): LabelRequirement {
    const absent = this.#take("!");
    const key = this.#word();
    if (key === undefined) throw this.#expected("a label key");
    if (absent) return this.#make(key, "!", []);
    const operator = this.#peek();
    if (operator === end || operator === ",") return this.#make(key, "exists", []);
    if (!isBinaryOperator(operator)) throw this.#expected(`one of ${[...binaryOperators].join(" ")} after ${key}`);
    this.#next++;
    const values = operator === "in" || operator === "notin" ? this.#valueSet() : [this.#value()];
    return this.#make(key, operator, values);
  }

  /** Between commas a value may be missing, and is then the empty one: `()` and `(a,)` both hold it. */
  #valueSet(): string[] {
    if (!this.#take("(")) throw this.#expected('"("');
    const values: string[] = [];
    do values.push(this.#word() ?? "");
    while (this.#take(","));
    if (!this.#take(")")) throw this.#expected('"," or ")"');
    return values;
  }

  #value(): string {
    const value = this.#word();
    if (value !== undefined) return value;
    if (this.#peek() === end || this.#peek() === ",") return "";
    throw this.#expected("a value");
  }

  #make(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
    const made = makeRequirement(key, operator, values);
    if ("problem" in made) throw new ParseError("label selector", this.#text, made.problem);
    return made;
  }

  #peek(): string {
    return this.#tokens[this.#next] ?? end;
  }

  #take(symbol: string): boolean {
    if (this.#peek() !== symbol) return false;
    this.#next++;
    return true;
  }

  #word(): string | undefined {
    const token = this.#peek();
    if (token === end || symbols.has(token)) return undefined;
    this.#next++;
    return token;
  }

  #expected(what: string): ParseError {
    const found = this.#peek() === end ? "the end" : quoted(this.#peek());
    return new ParseError("label selector", this.#text, `expected ${what}, found ${found}`);
  }
}

function isBinaryOperator(token: string): token is LabelOperator {
  return binaryOperators.has(token);
}
