/**
 * One cut of the solves: all figures that follow from the rows before a point in time. Nothing in here knows of later
 * rows, so what is made of the public cut cannot tell of solves after the freeze.
 *
 * Who counts: a solve counts where its scorer is listed, its player is not banned, hidden or an admin, players see its
 * challenge, and it was made after the start; of several by one scorer, the first. Scorers are listed, also without
 * points, unless they are banned, hidden or an admin.
 *
 * The order: score, then the earlier last solve that gave points, then name, then id. Ranks are positions: no two are equal.
 */
import { bonusOf, challengeValue, type Scoring } from "../scoring/formulas.ts";
import type { AwardRow, Scorer, SolveRow, UnlockRow } from "./rows.ts";
import type { SolveTable } from "./solve-table.ts";

export interface Standing {
  /** From 1. */
  rank: number;
  /** Among the scorers of the same division; null without a division. */
  divisionRank: number | null;
  scorer: Scorer;
  score: number;
  solves: number;
  /** The last solve that gave points. */
  lastSolveAt: number | null;
}

export interface ChallengeFigures {
  name: string;
  value: number;
  solves: number;
  firstBlood: SolveRow | null;
}

export interface CountedSolve extends SolveRow {
  /** With its bonus. */
  points: number;
  /** From 1: first blood. */
  position: number;
}

export interface GraphPoint {
  at: number;
  score: number;
}

/** What a cut is computed from. Arrays are by the numbers of `table`. */
export interface CutInput {
  table: SolveTable;
  /** Undefined where the scorer is not listed. */
  listed: readonly (Scorer | undefined)[];
  /** Where the scorer stands among the listed ones by name, then id. */
  nameRanks: Uint32Array;
  /** The listed scorers. A ranking sorts them in place: the next one begins with an order that is nearly right. */
  order: number[];
  /** 1 where solves of the player do not count. */
  excludedPlayers: Uint8Array;
  /** Those that players see, by name. */
  challenges: readonly { number: number; scoring: Scoring }[];
  awards: readonly AwardRow[];
  unlocks: readonly UnlockRow[];
  start: number;
  /** Rows from this time on are left out. */
  end: number;
  version(rows: number): string;
}

export class Cut {
  /** `<cut>.<epoch>.<n>`: equal versions of a cut are equal in every figure. */
  readonly version: string;
  readonly end: number;
  readonly #input: CutInput;
  /** By solve: its position among the counted solves of its challenge, or 0 where it does not count. */
  readonly #position: Uint32Array;
  readonly #points: Float64Array;
  /** By challenge. */
  readonly #scoring: readonly (Scoring | undefined)[];
  readonly #counts: Uint32Array;
  readonly #values: Float64Array;
  readonly #firstBloods: Int32Array;
  /** By scorer. */
  readonly #scores: Float64Array;
  readonly #solves: Uint32Array;
  readonly #lastSolves: Int32Array;
  #ranking: readonly Standing[] | undefined;
  #standings: ReadonlyMap<string, Standing> | undefined;

  constructor(input: CutInput) {
    const { table, awards, unlocks, end } = input;
    this.#input = input;
    this.end = end;
    const scoring: (Scoring | undefined)[] = new Array(table.challenges.size).fill(undefined);
    for (const challenge of input.challenges) scoring[challenge.number] = challenge.scoring;
    this.#scoring = scoring;
    this.#position = new Uint32Array(table.size);
    this.#points = new Float64Array(table.size);
    this.#counts = new Uint32Array(table.challenges.size);
    this.#values = new Float64Array(table.challenges.size);
    this.#firstBloods = new Int32Array(table.challenges.size).fill(-1);
    this.#scores = new Float64Array(table.scorers.size);
    this.#solves = new Uint32Array(table.scorers.size);
    this.#lastSolves = new Int32Array(table.scorers.size).fill(-1);

    const solves = this.#count();
    this.#score();
    const isIn = ({ at }: { at: number }) => at < end;
    this.version = input.version(solves + awards.filter(isIn).length + unlocks.filter(isIn).length);
  }

  /** Best first. */
  get ranking(): readonly Standing[] {
    this.#ranking ??= this.#rank();
    return this.#ranking;
  }

  /** Undefined where the scorer is not listed. */
  standing(scorerId: string): Standing | undefined {
    this.#standings ??= new Map(this.ranking.map((standing) => [standing.scorer.id, standing]));
    return this.#standings.get(scorerId);
  }

  /** Those that players see, by name. */
  get challenges(): ChallengeFigures[] {
    const { table, challenges } = this.#input;
    return challenges.map(({ number }) => {
      const row = this.#firstBloods[number] as number;
      return {
        name: table.challenges.names[number] as string,
        value: this.#values[number] as number,
        solves: this.#counts[number] as number,
        firstBlood: row < 0 ? null : table.read(row),
      };
    });
  }

  /** What the challenge is worth; undefined where players do not see it. */
  value(challenge: string): number | undefined {
    const number = this.#input.table.challenges.find(challenge);
    return number !== undefined && this.#scoring[number] ? this.#values[number] : undefined;
  }

  /** All counted solves in the order of commits. */
  solves(): CountedSolve[] {
    return this.#select(() => true);
  }

  solvesOf(scorerId: string): CountedSolve[] {
    const scorer = this.#input.table.scorers.find(scorerId);
    return this.#select((row) => this.#input.table.scorer[row] === scorer);
  }

  solvesOfChallenge(name: string): CountedSolve[] {
    const challenge = this.#input.table.challenges.find(name);
    return this.#select((row) => this.#input.table.challenge[row] === challenge);
  }

  /**
   * The score after each solve, award and unlocked hint, with every solve at the points that it gives now: values apply
   * to earlier solvers too, so the last point is the score of today, and earlier points are not what the board showed then.
   */
  graph(scorerId: string): GraphPoint[] {
    if (!this.standing(scorerId)) return [];
    const steps = [
      ...this.solvesOf(scorerId),
      ...this.#awardsOf(scorerId),
      ...this.#unlocksOf(scorerId).map(({ at, cost }) => ({ at, points: -cost })),
    ].sort((a, b) => a.at - b.at);
    const scores = new Map<number, number>();
    let score = 0;
    for (const { at, points } of steps) {
      score += points;
      scores.set(at, score);
    }
    return Array.from(scores, ([at, score]) => ({ at, score }));
  }

  /** Counts the solves of each challenge; returns how many rows the cut has, whether they count or not. */
  #count(): number {
    const { table, listed, excludedPlayers, start, end } = this.#input;
    const { scorer: scorers, player: players, challenge: challenges, at: times } = table;
    const isListed = Uint8Array.from(listed, (scorer) => (scorer ? 1 : 0));
    const isSeen = Uint8Array.from(this.#scoring, (seen) => (seen ? 1 : 0));
    const [counts, positions] = [this.#counts, this.#position];
    const challengeCount = table.challenges.size;
    const hasSolved = new Uint8Array(table.scorers.size * challengeCount);
    let rows = 0;
    for (let row = 0; row < table.size; row++) {
      const at = times[row] as number;
      if (at >= end) continue;
      rows++;
      const scorer = scorers[row] as number;
      const challenge = challenges[row] as number;
      if (at < start || !isListed[scorer] || !isSeen[challenge] || excludedPlayers[players[row] as number]) continue;
      const pair = scorer * challengeCount + challenge;
      if (hasSolved[pair]) continue;
      hasSolved[pair] = 1;
      const position = (counts[challenge] as number) + 1;
      counts[challenge] = position;
      positions[row] = position;
      if (position === 1) this.#firstBloods[challenge] = row;
    }
    return rows;
  }

  #score(): void {
    const { table, challenges, listed } = this.#input;
    for (const { number, scoring } of challenges) {
      this.#values[number] = challengeValue(scoring, this.#counts[number] as number);
    }
    const [scoring, values, positions, pointsOf] = [this.#scoring, this.#values, this.#position, this.#points];
    const [scores, solves, lastSolves] = [this.#scores, this.#solves, this.#lastSolves];
    for (let row = 0; row < table.size; row++) {
      const position = positions[row] as number;
      if (position === 0) continue;
      const scorer = table.scorer[row] as number;
      const challenge = table.challenge[row] as number;
      const points = (values[challenge] as number) + bonusOf(scoring[challenge] as Scoring, position);
      pointsOf[row] = points;
      scores[scorer] = (scores[scorer] as number) + points;
      solves[scorer] = (solves[scorer] as number) + 1;
      if (points <= 0) continue;
      const last = lastSolves[scorer] as number;
      if (last < 0 || (table.at[row] as number) >= (table.at[last] as number)) lastSolves[scorer] = row;
    }
    const add = (scorerId: string, points: number) => {
      const scorer = table.scorers.find(scorerId);
      if (scorer !== undefined && listed[scorer]) scores[scorer] = (scores[scorer] as number) + points;
    };
    for (const { scorerId, points, at } of this.#input.awards) if (at < this.end) add(scorerId, points);
    for (const unlock of this.#input.unlocks) if (this.#costs(unlock)) add(unlock.scorerId, -unlock.cost);
  }

  #rank(): Standing[] {
    const { table, listed, nameRanks, order } = this.#input;
    const [scores, lastSolves] = [this.#scores, this.#lastSolves];
    order.sort((a, b) => {
      const byScore = (scores[b] as number) - (scores[a] as number);
      if (byScore !== 0) return byScore;
      const rowOfA = lastSolves[a] as number;
      const rowOfB = lastSolves[b] as number;
      if (rowOfA >= 0 && rowOfB >= 0)
        return (table.at[rowOfA] as number) - (table.at[rowOfB] as number) || rowOfA - rowOfB;
      return Number(rowOfA < 0) - Number(rowOfB < 0) || (nameRanks[a] as number) - (nameRanks[b] as number);
    });
    const inDivision = new Map<string, number>();
    return order.map((number, index) => {
      const scorer = listed[number] as Scorer;
      const last = lastSolves[number] as number;
      let divisionRank: number | null = null;
      if (scorer.division !== null) {
        divisionRank = (inDivision.get(scorer.division) ?? 0) + 1;
        inDivision.set(scorer.division, divisionRank);
      }
      return {
        rank: index + 1,
        divisionRank,
        scorer,
        score: scores[number] as number,
        solves: this.#solves[number] as number,
        lastSolveAt: last < 0 ? null : (table.at[last] as number),
      };
    });
  }

  #select(wanted: (row: number) => boolean): CountedSolve[] {
    const selected: CountedSolve[] = [];
    this.#position.forEach((position, row) => {
      if (position === 0 || !wanted(row)) return;
      selected.push({ ...this.#input.table.read(row), points: this.#points[row] as number, position });
    });
    return selected;
  }

  #awardsOf(id: string): AwardRow[] {
    return this.#input.awards.filter(({ scorerId, at }) => scorerId === id && at < this.end);
  }

  #unlocksOf(id: string): UnlockRow[] {
    return this.#input.unlocks.filter((unlock) => unlock.scorerId === id && this.#costs(unlock));
  }

  #costs({ at, challenge }: UnlockRow): boolean {
    return at < this.end && this.value(challenge) !== undefined;
  }
}
