/** A board of the size of a large competition, the same at every call. */
import type { BoardRows, BoardSettings, Scorer, SolveRow } from "../board/rows.ts";

export interface LargeBoard {
  settings: BoardSettings;
  rows: BoardRows;
}

const startedAt = Date.UTC(2026, 9, 1, 18);
const lengthMs = 48 * 3_600_000;
const syllables = [
  "hack",
  "root",
  "null",
  "byte",
  "pwn",
  "zero",
  "shell",
  "fox",
  "the",
  "team",
  "ctf",
  "sec",
  "cat",
  "1337",
];

/** Skewed as real ones are: few teams solve much, and few challenges are solved by many. */
export function largeBoard({ teams = 5000, challenges = 80, solves = 57_000 } = {}): LargeBoard {
  const random = randomNumbers(27);
  const below = (limit: number) => Math.floor(random() * limit);
  const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join("");
  const scorers = Array.from({ length: teams }, (_, index): Scorer => {
    const words = Array.from({ length: 1 + below(3) }, () => syllables[below(syllables.length)]);
    return {
      id: `0191e7a4-${hex(4)}-7${hex(3)}-9${hex(3)}-${hex(12)}`,
      name: `${words.join(" ")} ${index}`,
      division: [null, "open", "students"][below(3)] ?? null,
    };
  });
  const rows: SolveRow[] = [];
  const isSolved = new Set<number>();
  // Bounded, should the numbers ever ask for more solves than there can be.
  for (let draw = 0; rows.length < solves && draw < solves * 50; draw++) {
    const [team, challenge] = [Math.floor(random() ** 1.5 * teams), Math.floor(random() ** 2 * challenges)];
    const pair = team * challenges + challenge;
    if (isSolved.has(pair)) continue;
    isSolved.add(pair);
    const { id: scorerId } = scorers[team] as Scorer;
    const at = startedAt + Math.floor((lengthMs * rows.length) / solves) + below(1000);
    rows.push({ id: rows.length + 1, scorerId, playerId: `${scorerId}-${below(4)}`, challenge: `c${challenge}`, at });
  }
  return {
    settings: {
      epoch: 1,
      start: startedAt,
      freeze: startedAt + lengthMs * 0.9,
      scoring: { formula: "berg", maximum: 500, minimum: 100, solvesBeforeMinimum: 50, bonuses: [] },
      challenges: Array.from({ length: challenges }, (_, number) => ({ name: `c${number}` })),
    },
    rows: { scorers, accounts: [], solves: rows, awards: [], unlocks: [], changes: 0 },
  };
}

/** Between 0 and 1: mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
