/** Finds the Challenges, Competitions and Pages in YAML, and where in the text each problem is. */
import { type LintSettings, lintChallenge, lintCompetition, lintPage, type Problem } from "@berg/instances";
import { Challenges, Competitions, type FieldPath, Pages } from "@berg/resources";
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseAllDocuments, type Tags } from "yaml";

export interface Finding {
  /** A note is about what was not looked at. */
  severity: Problem["severity"] | "note";
  problem: Omit<Problem, "severity">;
  line: number;
  column: number;
}

type Locate = (path: FieldPath) => Pick<Finding, "line" | "column">;

interface Linted {
  /** As they were read, whatever is wrong with them. */
  challenges: { manifest: unknown; locate: Locate }[];
  /** The kind of each object that was checked. */
  kinds: string[];
  findings: Finding[];
}

type Lint = (manifest: unknown, settings?: LintSettings) => Problem[];

const lints = new Map<string, Lint>([
  [Challenges.kind, lintChallenge],
  [Competitions.kind, lintCompetition],
  [Pages.kind, lintPage],
]);

/** `lintText(file).findings`, from the top of the text to its end. */
export function lintText(text: string, settings?: LintSettings): Linted {
  const lineCounter = new LineCounter();
  const options = { version: "1.1", customTags: asKubectlReads, lineCounter, prettyErrors: false } as const;
  const linted = Array.from(parseAllDocuments(text, options), (document) =>
    lintDocument(document, lineCounter, settings),
  );
  return {
    challenges: linted.flatMap(({ challenges }) => challenges),
    kinds: linted.flatMap(({ kinds }) => kinds),
    findings: linted.flatMap(({ findings }) => findings).sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

/** YAML 1.1, where `0444` is octal; only that `2026-10-01T18:00:00Z` and `12:30` stay texts. */
function asKubectlReads(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === "string" || (tag.format !== "TIME" && !tag.tag.endsWith(":timestamp")));
}

function lintDocument(document: Document, lines: LineCounter, settings: LintSettings | undefined): Linted {
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const notYaml = (message: string, offset: number): Finding => {
    return { severity: "error", problem: { path: [], message: `this is not YAML: ${message}` }, ...place(offset) };
  };
  if (document.errors.length > 0)
    return { challenges: [], kinds: [], findings: document.errors.map(({ message, pos }) => notYaml(message, pos[0])) };

  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    // An alias of nothing, or aliases that would grow without end.
    return {
      challenges: [],
      kinds: [],
      findings: [notYaml((error as Error).message, startOf(document.contents) ?? 0)],
    };
  }
  const linted = objectsIn(content).map(({ object, at }) => {
    const locate: Locate = (path) => place(offsetOf(document, [...at, ...path]));
    return { manifest: object, locate, ...lintObject(object, settings, locate) };
  });
  return {
    challenges: linted.filter(({ kind }) => kind === Challenges.kind),
    kinds: linted.flatMap(({ kind }) => kind ?? []),
    findings: linted.flatMap(({ findings }) => findings),
  };
}

/** `kubectl get -o yaml` gives a List. */
function objectsIn(content: unknown): { object: unknown; at: FieldPath }[] {
  if (content === null || content === undefined) return [];
  const { kind, items } = content as { kind?: unknown; items?: unknown };
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [{ object: content, at: [] }];
  return items.map((object, index) => ({ object, at: ["items", index] }));
}

function lintObject(
  object: unknown,
  settings: LintSettings | undefined,
  locate: Locate,
): { kind?: string; findings: Finding[] } {
  const given = (object as { kind?: unknown } | null)?.kind;
  // What does not name its kind is taken for a Challenge, and the error says which kind it needs.
  const kind = typeof given === "string" ? given : Challenges.kind;
  const lint = lints.get(kind);
  if (!lint) {
    const known = [...lints.keys()].join(", ");
    const problem = { path: [], message: `skipped, since it is a ${kind} and none of ${known}` };
    return { findings: [{ severity: "note", problem, ...locate(["kind"]) }] };
  }
  const findings = lint(object, settings).map((problem) => {
    return { severity: problem.severity, problem, ...locate(problem.path) };
  });
  return { kind, findings };
}

/** Where a field is named or an item begins; of what is not there, the nearest that is around it. */
function offsetOf(document: Document, path: FieldPath): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const part of path) {
    if (isSeq(node) && typeof part === "number") {
      node = node.items[part];
      offset = startOf(node) ?? offset;
    } else if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      node = pair?.value;
      offset = startOf(pair?.key) ?? offset;
    } else break;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
