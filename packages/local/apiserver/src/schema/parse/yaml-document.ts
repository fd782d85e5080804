/**
 * Reads the first document of a YAML text within limits, so that one body cannot stop the process: nesting is bounded
 * while the text is read, reading ends at the first error, and aliases may not multiply the text. The `yaml` package by
 * itself collects every error, resolves each alias by a walk through the document, and composes all documents.
 */
import {
  Composer,
  type Document,
  type DocumentOptions,
  isAlias,
  isCollection,
  isNode,
  isPair,
  isScalar,
  Lexer,
  type LineCounter,
  type Node,
  type ParseOptions,
  Parser,
  type SchemaOptions,
} from "yaml";

/** What is wrong with a text, in the words of Kubernetes where it has any. */
export class BadYaml extends Error {}

/** The package composes by recursion, with many calls for each level. JSON may be deeper: schema/decode/depth.ts. */
const deepest = 250;
/** Nodes and characters that aliases may add, all together. */
const mostAliased = 1 << 20;

type Options = ParseOptions & DocumentOptions & SchemaOptions;

/** Undefined where there is no document. No alias is left in it: each is replaced by the node that it stands for. */
export function composeFirstDocument(text: string, lines: LineCounter, options: Options): Document | undefined {
  const composer = new StoppingComposer(lines, options);
  for (const token of tokensOfFirstDocument(text, lines)) {
    if (token.type === "error") throw badLine(lines, token.offset, token.message);
    for (const _document of composer.next(token));
  }
  const [document] = composer.end();
  if (document?.contents) document.contents = new AliasResolver().resolve(document.contents);
  return document;
}

function* tokensOfFirstDocument(text: string, lines: LineCounter) {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    let isComplete = false;
    for (const token of parser.next(lexeme)) {
      yield token;
      isComplete ||= token.type === "document";
    }
    if (isComplete) return;
    // The document itself is on the stack, and the scalar that is being read.
    if (parser.stack.length > deepest + 2) throw tooDeep();
  }
  yield* parser.end();
}

/** Throws at the first error, and drops warnings. */
class StoppingComposer extends Composer {
  constructor(lines: LineCounter, options: Options) {
    super(options);
    // The package catches what is thrown inside of a collection, and reports it once more for each level.
    let first: BadYaml | undefined;
    const onError = (source: ErrorSource, _code: string, message: string, isWarning?: boolean) => {
      if (isWarning) return;
      first ??= badLine(lines, offsetOf(source), message);
      throw first;
    };
    // Not part of the declared interface; parse.test.ts fails where a new version of the package has another one.
    Object.assign(this, { onError });
  }
}

type ErrorSource = number | readonly [number, number] | { offset: number };

function offsetOf(source: ErrorSource): number {
  if (typeof source === "number") return source;
  return "offset" in source ? source.offset : source[0];
}

function badLine(lines: LineCounter, offset: number, message: string): BadYaml {
  return new BadYaml(`yaml: line ${Math.max(lines.linePos(offset).line, 1)}: ${message.split("\n")[0]}`);
}

function tooDeep(): BadYaml {
  return new BadYaml(`yaml: exceeded max depth of ${deepest}`);
}

/** Of a node with everything in it, aliases included. */
interface Extent {
  /** Nodes and the characters of scalars. */
  size: number;
  depth: number;
}

class AliasResolver {
  /** The latest node of each anchor, as the text is read from its beginning. */
  readonly #anchored = new Map<string, Node>();
  readonly #extents = new Map<Node, Extent>();
  #aliased = 0;

  resolve<T extends Node>(root: T): T {
    this.#visit(root);
    return (isAlias(root) ? this.#targetOf(root.source) : root) as T;
  }

  #visit(value: unknown): Extent {
    if (isAlias(value)) return this.#visitAlias(value.source);
    if (isPair(value)) {
      const key = this.#visit(value.key);
      value.key = this.#replaced(value.key);
      const inner = this.#visit(value.value);
      value.value = this.#replaced(value.value);
      return { size: key.size + inner.size, depth: Math.max(key.depth, inner.depth) };
    }
    if (!isNode(value)) return { size: 1, depth: 0 };
    const { anchor } = value as { anchor?: string };
    if (anchor) this.#anchored.set(anchor, value);
    const extent = isCollection(value) ? this.#visitItems(value.items) : { size: sizeOfScalar(value), depth: 0 };
    if (extent.depth > deepest) throw tooDeep();
    if (anchor) this.#extents.set(value, extent);
    return extent;
  }

  #visitItems(items: unknown[]): Extent {
    const extent: Extent = { size: 1, depth: 0 };
    items.forEach((item, index) => {
      const { size, depth } = this.#visit(item);
      items[index] = this.#replaced(item);
      extent.size += size;
      extent.depth = Math.max(extent.depth, depth);
    });
    extent.depth++;
    return extent;
  }

  #visitAlias(name: string): Extent {
    const extent = this.#extents.get(this.#targetOf(name));
    if (!extent) throw new BadYaml(`yaml: anchor '${name}' value contains itself`);
    this.#aliased += extent.size;
    if (this.#aliased > mostAliased) throw new BadYaml("yaml: document contains excessive aliasing");
    return extent;
  }

  #replaced(value: unknown): unknown {
    return isAlias(value) ? this.#targetOf(value.source) : value;
  }

  #targetOf(name: string): Node {
    const target = this.#anchored.get(name);
    if (!target) throw new BadYaml(`yaml: unknown anchor '${name}' referenced`);
    return target;
  }
}

function sizeOfScalar(node: Node): number {
  const { value } = node as { value?: unknown };
  return isScalar(node) && typeof value === "string" ? 1 + value.length : 1;
}
