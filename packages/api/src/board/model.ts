/**
 * The board in memory, one per replica. Rows only change what it holds; the figures are computed from all rows when they
 * are next asked for. That takes milliseconds and happens once a tick, and it cannot drift from the rows.
 */
import { scoringOf } from "../scoring/formulas.ts";
import { Cut, type CutInput } from "./cut.ts";
import type {
  AccountFlags,
  AwardRow,
  BoardRow,
  BoardRows,
  BoardSettings,
  Scorer,
  SolveRow,
  UnlockRow,
} from "./rows.ts";
import { SolveTable } from "./solve-table.ts";

/** What a scorer sees of itself, at any time. Made of the public cut and its own rows only. */
export interface OwnView {
  solves: OwnSolve[];
  /** With its rows after the freeze, at the values of the public cut. */
  score: number;
}

export interface OwnSolve extends SolveRow {
  /** After the freeze without bonus: that would tell whether others were faster. */
  points: number;
  /** Whether others see it. */
  isPublic: boolean;
}

export class BoardModel {
  #settings: BoardSettings;
  #table = new SolveTable();
  #scorers = new Map<string, Scorer>();
  /** Only those with a flag that is set. */
  #excluded = new Set<string>();
  #awards = new Map<number, AwardRow>();
  #unlocks = new Map<number, UnlockRow>();
  #changes = 0;
  #listing: Listing | undefined;
  #cuts: { public: Cut; full: Cut } | undefined;

  constructor(settings: BoardSettings, rows?: BoardRows) {
    this.#settings = settings;
    if (rows) this.replay(rows);
  }

  /** The settings as they are from now on. */
  configure(settings: BoardSettings): void {
    this.#settings = settings;
    this.#cuts = undefined;
  }

  get epoch(): number {
    return this.#settings.epoch;
  }

  /** Sets the flags of an account without counting a change: for what another row has counted. */
  setAccount(id: string, flags: AccountFlags): void {
    this.#setFlags(id, flags);
    this.#listing = undefined;
    this.#cuts = undefined;
  }

  /** Forgets everything but the settings, and reads all rows. */
  replay({ scorers, accounts, solves, awards, unlocks, changes }: BoardRows): void {
    this.#table = new SolveTable();
    this.#scorers = new Map(Array.from(scorers, (scorer) => [scorer.id, scorer]));
    this.#excluded = new Set();
    for (const account of accounts) this.#setFlags(account.id, account);
    this.#awards = new Map(Array.from(awards, (award) => [award.id, award]));
    this.#unlocks = new Map(Array.from(unlocks, (unlock) => [unlock.id, unlock]));
    for (const solve of solves) this.#table = this.#table.with(solve);
    this.#changes = changes;
    this.#listing = undefined;
    this.#cuts = undefined;
  }

  /** Reads one more row. A solve, award or unlock that was read before changes nothing. */
  apply(row: BoardRow): void {
    this.#cuts = undefined;
    switch (row.type) {
      case "solve":
        this.#add(row);
        return;
      case "award":
        this.#awards.set(row.id, row);
        return;
      case "unlock":
        this.#unlocks.set(row.id, row);
        return;
      case "scorer":
        this.#scorers.set(row.id, { id: row.id, name: row.name, division: row.division });
        this.#listing = undefined;
        break;
      case "scorer-removed":
        this.#scorers.delete(row.id);
        this.#listing = undefined;
        break;
      case "account":
        this.#setFlags(row.id, row);
        this.#listing = undefined;
        break;
    }
    this.#changes++;
  }

  /** What everybody may see: ends at the freeze. Where there is none, the full cut. */
  get public(): Cut {
    return this.#compute().public;
  }

  /** What admins see. */
  get full(): Cut {
    return this.#compute().full;
  }

  own(scorerId: string): OwnView {
    const { public: cut, full } = this.#compute();
    const shown = new Map(cut.solvesOf(scorerId).map((solve) => [solve.id, solve]));
    const counted = new Set(full.solvesOf(scorerId).map(({ id }) => id));
    const solves = this.#solvesOf(scorerId).flatMap((solve): OwnSolve[] => {
      const value = cut.value(solve.challenge);
      if (value === undefined) return [];
      const points = shown.get(solve.id)?.points ?? (counted.has(solve.id) ? value : 0);
      return [{ ...solve, points, isPublic: shown.has(solve.id) }];
    });
    const isOwn = (row: { scorerId: string }) => row.scorerId === scorerId;
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
    const costs = [...this.#unlocks.values()].filter((row) => isOwn(row) && cut.value(row.challenge) !== undefined);
    const score =
      sum(solves.map(({ points }) => points)) +
      sum([...this.#awards.values()].filter(isOwn).map(({ points }) => points)) -
      sum(costs.map(({ cost }) => cost));
    return { solves, score };
  }

  #solvesOf(scorerId: string): SolveRow[] {
    const table = this.#table;
    const scorer = table.scorers.find(scorerId);
    return table.scorer.flatMap((number, row) => (number === scorer ? [table.read(row)] : []));
  }

  #add(solve: SolveRow): void {
    const table = this.#table.with(solve);
    // Another table has other numbers.
    if (table !== this.#table) this.#listing = undefined;
    this.#table = table;
  }

  #setFlags(id: string, { banned, hidden, admin }: AccountFlags): void {
    if (banned || hidden || admin) this.#excluded.add(id);
    else this.#excluded.delete(id);
  }

  #compute(): { public: Cut; full: Cut } {
    if (this.#cuts) return this.#cuts;
    const { epoch, freeze } = this.#settings;
    const input = this.#input();
    const cut = (name: string, end: number) =>
      new Cut({ ...input, end, version: (rows) => `${name}.${epoch}.${rows + this.#changes}` });
    const full = cut("full", Number.POSITIVE_INFINITY);
    this.#cuts = { full, public: freeze === undefined ? full : cut("public", freeze) };
    return this.#cuts;
  }

  #input(): Omit<CutInput, "end" | "version"> {
    const table = this.#table;
    const { start = Number.NEGATIVE_INFINITY, scoring: competition, challenges } = this.#settings;
    return {
      table,
      ...this.#list(),
      challenges: challenges
        .map(({ name, scoring }) => ({
          name,
          number: table.challenges.of(name),
          scoring: scoringOf(competition, scoring),
        }))
        .sort((a, b) => compareTexts(a.name, b.name)),
      awards: [...this.#awards.values()],
      unlocks: [...this.#unlocks.values()],
      start,
    };
  }

  /** Kept while scorers and accounts stay the same: most ticks bring solves only. */
  #list(): Listing {
    const table = this.#table;
    const known = this.#listing;
    if (known?.listed.length === table.scorers.size && known.excludedPlayers.length === table.players.size)
      return known;
    const sorted = [...this.#scorers.values()]
      .filter(({ id }) => !this.#excluded.has(id))
      .sort((a, b) => compareTexts(a.name, b.name) || compareTexts(a.id, b.id));
    const order = sorted.map(({ id }) => table.scorers.of(id));
    const listed: (Scorer | undefined)[] = new Array(table.scorers.size).fill(undefined);
    const nameRanks = new Uint32Array(table.scorers.size);
    order.forEach((number, rank) => {
      listed[number] = sorted[rank];
      nameRanks[number] = rank;
    });
    const excludedPlayers = Uint8Array.from(table.players.names, (id) => (this.#excluded.has(id) ? 1 : 0));
    this.#listing = { listed, nameRanks, order, excludedPlayers };
    return this.#listing;
  }
}

type Listing = Pick<CutInput, "listed" | "nameRanks" | "order" | "excludedPlayers">;

/** By code units: the same on every replica, whatever its locale. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
