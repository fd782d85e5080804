/**
 * The scoreboard of this process. It reads all rows at the start and follows the ledger by its ids from then on, so that
 * every process has the same board after the same entry. Settings come from the Competition and the Challenges.
 */
import { createHash } from "node:crypto";
import type { Stored } from "@berg/apimachinery";
import { type Clock, errorText, type Logger, type Timer } from "@berg/kube";
import type { Challenge, CompetitionSpec } from "@berg/resources";
import type { Kysely } from "kysely";
import { isVisible } from "../challenges/routes.ts";
import { hasStarted } from "../competition/rules.ts";
import type { LedgerRow, Tables } from "../database/schema.ts";
import { readLedger } from "../ledger/store.ts";
import { splitRoles } from "../players/store.ts";
import { BoardModel } from "./model.ts";
import { type AccountFlags, type BoardSettings, boardSettings, type Scorer, type SolveRow } from "./rows.ts";

export interface BoardDeps {
  db: Kysely<Tables>;
  clock: Clock;
  log: Logger;
  competition(): CompetitionSpec;
  /** All of the cache; none before it is filled. */
  challenges(): readonly Stored<Challenge>[];
}

export interface BoardListener {
  /** After a figure may have changed. */
  onChange(): void;
  /** Once for each solve that this process has followed: not for those that it found when it started. */
  onSolve(solve: SolveRow): void;
}

/** Also without a hint: a lost one must not hold up the board. */
const followMs = 1_000;

export class Board implements AsyncDisposable {
  readonly #deps: BoardDeps;
  readonly #flags = new Map<string, AccountFlags>();
  readonly #listeners = new Set<BoardListener>();
  #model: BoardModel;
  #isTeams = false;
  #last = 0;
  #reading: Promise<void> | undefined;
  #isStale = false;
  #timer: Timer | undefined;
  #isStopped = false;

  private constructor(deps: BoardDeps) {
    this.#deps = deps;
    this.#model = new BoardModel(this.#settings());
  }

  static async load(deps: BoardDeps): Promise<Board> {
    const board = new Board(deps);
    await board.#readAll();
    board.#schedule();
    return board;
  }

  /** As of the last refresh. */
  get model(): BoardModel {
    return this.#model;
  }

  listen(listener: BoardListener): void {
    this.#listeners.add(listener);
  }

  /** Reads what was committed before the call, without waiting: within a second it is read again anyway. */
  follow(): void {
    this.refresh().catch((error) => this.#warn(error));
  }

  /** Reads what was committed before the call. Calls at the same time share one read. */
  async refresh(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStale = true;
    this.#reading ??= this.#readWhileStale().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#reading?.catch(() => {});
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = this.#deps.clock.setTimer(followMs, () => {
      void this.refresh()
        .catch((error) => this.#warn(error))
        .then(() => this.#schedule());
    });
  }

  #warn(error: unknown): void {
    this.#deps.log.warn({ error: errorText(error) }, "cannot read the ledger; the scoreboard may be old");
  }

  async #readWhileStale(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#read();
    }
  }

  async #read(): Promise<void> {
    if (this.#deps.competition().teams.enabled !== this.#isTeams) {
      await this.#readAll();
      this.#announce();
      return;
    }
    const rows = await readLedger(this.#deps.db, this.#last);
    for (const row of rows) {
      await this.#apply(row);
      this.#last = row.id;
    }
    if (this.#configure() || rows.length > 0) this.#announce();
    for (const row of rows.filter(({ kind }) => kind === "solve")) {
      for (const listener of this.#listeners) listener.onSolve(solveOf(row));
    }
  }

  async #readAll(): Promise<void> {
    const { db, competition } = this.#deps;
    this.#isTeams = competition().teams.enabled;
    const rows = await readLedger(db);
    // Read after the ledger: what changed in between has an entry of its own, and is read again.
    const scorers = this.#isTeams ? await readTeams(db) : (await readPlayers(db)).map(({ scorer }) => scorer);
    this.#flags.clear();
    for (const { scorer, isAdmin } of await readPlayers(db)) {
      if (isAdmin) this.#flags.set(scorer.id, { banned: false, hidden: false, admin: true });
    }
    for (const row of rows) this.#setFlag(row);
    this.#model = new BoardModel(this.#settings(), {
      scorers,
      accounts: Array.from(this.#flags, ([id, flags]) => ({ id, ...flags })),
      solves: rows.filter(({ kind }) => kind === "solve").map(solveOf),
      awards: rows.filter(({ kind }) => kind === "award").map(awardOf),
      unlocks: rows.filter(({ kind }) => kind === "hint").map(unlockOf),
      changes: rows.filter(isChange).length,
    });
    this.#last = rows.at(-1)?.id ?? 0;
  }

  async #apply(row: LedgerRow): Promise<void> {
    const model = this.#model;
    switch (row.kind) {
      case "solve":
        return model.apply({ type: "solve", ...solveOf(row) });
      case "award":
        return model.apply({ type: "award", ...awardOf(row) });
      case "hint":
        return model.apply({ type: "unlock", ...unlockOf(row) });
      case "scorer":
        return this.#applyScorer(row.scorer_id);
      default:
        this.#setFlag(row);
        model.apply({ type: "account", id: row.scorer_id, ...this.#flagsOf(row.scorer_id) });
    }
  }

  /** One entry is one change, also where a player is not a scorer: every process counts the same. */
  async #applyScorer(id: string): Promise<void> {
    const { db } = this.#deps;
    const [player] = await readPlayers(db, id);
    const scorer = this.#isTeams ? (await readTeams(db, id))[0] : player?.scorer;
    this.#flags.set(id, { ...this.#flagsOf(id), admin: player?.isAdmin ?? false });
    this.#model.setAccount(id, this.#flagsOf(id));
    if (scorer) this.#model.apply({ type: "scorer", ...scorer });
    else this.#model.apply({ type: "scorer-removed", id });
  }

  #setFlag({ kind, scorer_id }: LedgerRow): void {
    if (!isFlag(kind)) return;
    const change = {
      ban: { banned: true },
      unban: { banned: false },
      hide: { hidden: true },
      unhide: { hidden: false },
    };
    this.#flags.set(scorer_id, { ...this.#flagsOf(scorer_id), ...change[kind] });
  }

  #flagsOf(id: string): AccountFlags {
    return this.#flags.get(id) ?? { banned: false, hidden: false, admin: false };
  }

  /** Whether the settings have changed. */
  #configure(): boolean {
    const settings = this.#settings();
    if (settings.epoch === this.#model.epoch) return false;
    this.#model.configure(settings);
    return true;
  }

  /** The epoch is a digest of the settings: processes with the same settings and entries have the same version. */
  #settings(): BoardSettings {
    const { competition, clock } = this.#deps;
    const now = clock.now();
    const challenges = this.#deps
      .challenges()
      .filter((challenge) => hasStarted(competition(), now) && isVisible(challenge, now))
      .map(({ metadata: { name }, spec: { scoring } }) => ({ name, ...(scoring && { scoring }) }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    const settings = boardSettings(competition(), { epoch: 0, challenges, now });
    const digest = createHash("sha256")
      .update(JSON.stringify([settings, competition().teams.enabled]))
      .digest();
    return { ...settings, epoch: digest.readUIntBE(0, 6) };
  }

  #announce(): void {
    for (const listener of this.#listeners) listener.onChange();
  }
}

function isFlag(kind: LedgerRow["kind"]): kind is "ban" | "unban" | "hide" | "unhide" {
  return kind === "ban" || kind === "unban" || kind === "hide" || kind === "unhide";
}

/** Entries that the versions of both cuts count. */
function isChange({ kind }: LedgerRow): boolean {
  return kind === "scorer" || isFlag(kind);
}

function solveOf({ id, scorer_id, player_id, challenge_name, at }: LedgerRow): SolveRow {
  return { id, scorerId: scorer_id, playerId: player_id ?? "", challenge: challenge_name ?? "", at };
}

function awardOf({ id, scorer_id, points, at }: LedgerRow) {
  return { id, scorerId: scorer_id, points: points ?? 0, at };
}

function unlockOf({ id, scorer_id, challenge_name, points, at }: LedgerRow) {
  return { id, scorerId: scorer_id, challenge: challenge_name ?? "", cost: points ?? 0, at };
}

async function readPlayers(db: Kysely<Tables>, id?: string): Promise<{ scorer: Scorer; isAdmin: boolean }[]> {
  const present = db
    .selectFrom("player")
    .select(["id", "name", "roles", "provider_roles"])
    .where("deleted_at", "is", null);
  const rows = await (id === undefined ? present : present.where("id", "=", id)).execute();
  return rows.map(({ id, name, roles, provider_roles }) => ({
    // Divisions are of teams.
    scorer: { id, name, division: null },
    isAdmin: splitRoles(`${roles},${provider_roles}`).includes("admin"),
  }));
}

async function readTeams(db: Kysely<Tables>, id?: string): Promise<Scorer[]> {
  const present = db.selectFrom("team").select(["id", "name", "division"]).where("deleted_at", "is", null);
  return (id === undefined ? present : present.where("id", "=", id)).execute();
}
