/** The text of a kubeconfig that somebody else wrote → plain values. What a parser could choke on is refused before. */
import { parseDocument, visit } from "yaml";
import { invalid, refused } from "./problem.ts";

export type Mapping = Readonly<Record<string, unknown>>;

const largestBytes = 128 * 1024;
// The parser needs a time that grows with the square of these: 100,000 of them hold up the whole process for half a
// minute, and with it the lease. A kubeconfig has about a hundred; certificates, keys and tokens have none.
const mostLines = 2000;
const mostMarks = 1000;
const marks = /[,:[\]{}&*!?%#|>"'`@]|-(?=\s)/g;
/** A kubeconfig needs 5. */
const deepestLevel = 16;

export function readDocument(text: string): Mapping {
  if (Buffer.byteLength(text) > largestBytes) {
    throw refused(`it is larger than ${largestBytes / 1024} KiB: keep one cluster, one user and one context`);
  }
  if (countOf(text, /\n/g) > mostLines || countOf(text, marks) > mostMarks) {
    throw refused("it has far more lines or entries than a kubeconfig: keep one cluster, one user and one context");
  }
  const document = parse(text);
  const [error] = document.errors;
  // The parser has run out of stack.
  if (error?.code === "RESOURCE_EXHAUSTION") throw nestedTooDeeply();
  if (error) {
    const at = error.linePos?.[0];
    throw invalid(`it is not valid YAML${at ? ` at line ${at.line}, column ${at.col}` : ""} (${error.code})`);
  }
  visit(document, {
    Alias: () => {
      throw refused("it has YAML aliases (*name): write out what they stand for");
    },
    Node: (_, node, path) => {
      // Each level of YAML is a collection and a pair.
      if (path.length > 2 * deepestLevel) throw nestedTooDeeply();
      if ("anchor" in node && node.anchor) throw refused("it has YAML anchors (&name): remove them");
    },
  });
  return mapping(JSON.parse(JSON.stringify(document.toJS() ?? null)), "it");
}

function nestedTooDeeply() {
  return refused("it is nested too deeply: write it as kubectl does");
}

function parse(text: string) {
  try {
    return parseDocument(text, { schema: "core", logLevel: "error", uniqueKeys: true, resolveKnownTags: false });
  } catch {
    // Not the parser's words: they quote what they could not read.
    throw invalid("it cannot be read as YAML");
  }
}

function countOf(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}

/** `what` as errors name it: `users[0].user` */
export function mapping(value: unknown, what: string): Mapping {
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw invalid(`${what} is not a mapping`);
  return value as Mapping;
}
