/** Solves as columns of numbers, in the order of their ids: a recomputation reads them all, tens of thousands a time. */
import type { SolveRow } from "./rows.ts";

/** Numbers for names, in the order in which they were first seen. */
export class Numbering {
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number of a name; a new one where it has none yet. */
  of(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.names.length);
    return this.names.push(name) - 1;
  }

  find(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  get size(): number {
    return this.names.length;
  }
}

export class SolveTable {
  readonly scorers = new Numbering();
  readonly players = new Numbering();
  readonly challenges = new Numbering();

  readonly id: number[] = [];
  readonly scorer: number[] = [];
  readonly player: number[] = [];
  readonly challenge: number[] = [];
  readonly at: number[] = [];

  get size(): number {
    return this.id.length;
  }

  /**
   * The table with one more solve; the same where the solve is there already, as a replica may read a row twice. Rows keep
   * their places for those who still read this table, so a solve that comes out of order makes a new one.
   */
  with(solve: SolveRow): SolveTable {
    const last = this.id.at(-1);
    if (last === undefined || solve.id > last) {
      this.#push(solve);
      return this;
    }
    if (this.id.includes(solve.id)) return this;
    const table = new SolveTable();
    const rows = [...this.id.map((_, row) => this.read(row)), solve].sort((a, b) => a.id - b.id);
    for (const row of rows) table.#push(row);
    return table;
  }

  read(row: number): SolveRow {
    return {
      id: this.id[row] as number,
      scorerId: this.scorers.names[this.scorer[row] as number] as string,
      playerId: this.players.names[this.player[row] as number] as string,
      challenge: this.challenges.names[this.challenge[row] as number] as string,
      at: this.at[row] as number,
    };
  }

  #push({ id, scorerId, playerId, challenge, at }: SolveRow): void {
    this.id.push(id);
    this.scorer.push(this.scorers.of(scorerId));
    this.player.push(this.players.of(playerId));
    this.challenge.push(this.challenges.of(challenge));
    this.at.push(at);
  }
}
