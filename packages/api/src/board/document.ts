/**
 * The whole board as one document, small enough to be sent to everybody. Columns instead of rows: numbers of one kind
 * stand beside each other, which compresses to less than half. Ids are random and do not compress, so only as much of
 * each is sent as tells them apart.
 */
import type { Cut } from "./cut.ts";

export interface BoardDocument {
  version: string;
  /** The public cut ends here, in ms since 1970; null: it does not end. */
  end: number | null;
  challenges: {
    name: string[];
    value: number[];
    solves: number[];
    /** Index in `scorers`. */
    firstBlood: (number | null)[];
  };
  /** Names that `scorers.division` counts. */
  divisions: string[];
  /** `scorers.last` counts from this time, in ms since 1970. */
  epoch: number;
  /** In the order of their ranks. */
  scorers: {
    /** The end of the id; `findScorer` knows the scorer by it. */
    ref: string[];
    name: string[];
    division: (number | null)[];
    score: number[];
    solves: number[];
    /** The last solve that gave points, in whole seconds since `epoch`. */
    last: (number | null)[];
  };
}

export function boardDocument(cut: Cut): BoardDocument {
  const { ranking, challenges, version, end } = cut;
  const times = ranking.flatMap(({ lastSolveAt }) => lastSolveAt ?? []);
  const epoch = times.reduce((earliest, time) => Math.min(earliest, time), times[0] ?? 0);
  const divisions = [...new Set(ranking.flatMap(({ scorer }) => scorer.division ?? []))].sort();
  const indexOf = new Map(ranking.map(({ scorer }, index) => [scorer.id, index]));
  const length = refLength(ranking.map(({ scorer }) => scorer.id));
  return {
    version,
    end: Number.isFinite(end) ? end : null,
    challenges: {
      name: challenges.map(({ name }) => name),
      value: challenges.map(({ value }) => value),
      solves: challenges.map(({ solves }) => solves),
      firstBlood: challenges.map(({ firstBlood }) => indexOf.get(firstBlood?.scorerId ?? "") ?? null),
    },
    divisions,
    epoch,
    scorers: {
      ref: ranking.map(({ scorer }) => scorer.id.slice(-length)),
      name: ranking.map(({ scorer }) => scorer.name),
      division: ranking.map(({ scorer }) => (scorer.division === null ? null : divisions.indexOf(scorer.division))),
      score: ranking.map(({ score }) => score),
      solves: ranking.map(({ solves }) => solves),
      last: ranking.map(({ lastSolveAt }) => (lastSolveAt === null ? null : Math.floor((lastSolveAt - epoch) / 1000))),
    },
  };
}

/** The id of the scorer that a document calls by `ref`; undefined where none or several end so. */
export function findScorer(cut: Cut, ref: string): string | undefined {
  const found = cut.ranking.filter(({ scorer }) => scorer.id.endsWith(ref));
  return found.length === 1 && ref !== "" ? found[0]?.scorer.id : undefined;
}

/** How many characters at the end of the ids tell them apart. */
function refLength(ids: readonly string[]): number {
  const longest = Math.max(1, ...ids.map((id) => id.length));
  let length = Math.min(longest, Math.max(1, Math.ceil(Math.log2(ids.length + 1) / 4)));
  while (length < longest && new Set(ids.map((id) => id.slice(-length))).size < ids.length) length++;
  return length;
}
