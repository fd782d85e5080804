/**
 * What the board is computed from. Times are ms since 1970.
 *
 * - scorer: a team where teams are on, else a player. A solve names its scorer, so it stays with the team in which it was
 *   made, whatever the player does later.
 * - account: a player or a team, as the organisers see it: banned, hidden or an admin.
 */
import { parseTime } from "@berg/apimachinery";
import type { ChallengeScoring, CompetitionSpec } from "@berg/resources";
import type { Scoring } from "../scoring/formulas.ts";

export interface Scorer {
  id: string;
  name: string;
  division: string | null;
}

export interface SolveRow {
  /** Grows in the order of commits: the lowest id of a challenge is its first blood. */
  id: number;
  scorerId: string;
  playerId: string;
  challenge: string;
  at: number;
}

/** Points given by an organiser; below zero to take points, or an earlier award, away. */
export interface AwardRow {
  id: number;
  scorerId: string;
  points: number;
  at: number;
}

/** A hint that a scorer has paid for. */
export interface UnlockRow {
  id: number;
  scorerId: string;
  challenge: string;
  cost: number;
  at: number;
}

export interface AccountFlags {
  banned: boolean;
  hidden: boolean;
  admin: boolean;
}

/** A change of the board. The last four kinds are logged changes: they count in the version of both cuts. */
export type BoardRow =
  | ({ type: "solve" } & SolveRow)
  | ({ type: "award" } & AwardRow)
  | ({ type: "unlock" } & UnlockRow)
  /** A scorer that registered, was renamed or changed its division. */
  | ({ type: "scorer" } & Scorer)
  | { type: "scorer-removed"; id: string }
  /** The flags that the account has now. */
  | ({ type: "account"; id: string } & AccountFlags);

/** Everything that the database has. */
export interface BoardRows {
  scorers: Iterable<Scorer>;
  accounts: Iterable<{ id: string } & AccountFlags>;
  solves: Iterable<SolveRow>;
  awards: Iterable<AwardRow>;
  unlocks: Iterable<UnlockRow>;
  /** How many changes of scorers and accounts were logged. */
  changes: number;
}

export interface BoardChallenge {
  name: string;
  scoring?: ChallengeScoring;
}

export interface BoardSettings {
  /** Raised by each change of the fields below. */
  epoch: number;
  /** Solves before this time do not count. */
  start: number | undefined;
  /** The public cut ends here: rows from this time on are in the full cut only. Undefined: there is no freeze any more. */
  freeze: number | undefined;
  scoring: Scoring;
  /** Those that players see. Solves of others count nothing, and hints of others cost nothing. */
  challenges: readonly BoardChallenge[];
}

/** The freeze is given before it begins as well, so that no solve slips through in its first moment. */
export function boardSettings(
  { start, freeze, scoring }: Pick<CompetitionSpec, "start" | "freeze" | "scoring">,
  { epoch, challenges, now }: { epoch: number; challenges: readonly BoardChallenge[]; now: number },
): BoardSettings {
  const isOver = freeze?.end !== undefined && parseTime(freeze.end) <= now;
  return {
    epoch,
    start: start === undefined ? undefined : parseTime(start),
    freeze: freeze === undefined || isOver ? undefined : parseTime(freeze.start),
    scoring,
    challenges,
  };
}
