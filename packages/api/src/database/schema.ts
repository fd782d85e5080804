/** The tables of the API, as queries see them. `migrations.ts` creates them. Ids are UUIDs; times are ms since 1970. */
import type { TerminationReason } from "@berg/resources";

export interface Tables {
  player: PlayerTable;
  sign_in_link: SignInLinkTable;
  session: SessionTable;
  instances: InstanceTable;
  secret: SecretTable;
  competition: CompetitionTable;
  handout_downloads: HandoutDownloadTable;
}

export interface PlayerTable {
  id: string;
  name: string;
  /** Who vouches for the player: `local:<name>` for accounts of `berg up`. */
  federated_id: string;
  /** With commas between them. */
  roles: string;
  /** SHA-256 of the API key, in hexadecimal digits. */
  api_key_hash: string | null;
  /** The first characters of the key, by which its owner recognises it. */
  api_key_placeholder: string | null;
  created_at: number;
}

export interface SignInLinkTable {
  /** SHA-256 of the token, in hexadecimal digits. */
  token_hash: string;
  player_id: string;
  kind: "personal" | "one-time";
  created_at: number;
  /** Null: until it is replaced. */
  expires_at: number | null;
  used_at: number | null;
}

export interface SessionTable {
  /** SHA-256 of the token in the cookie, in hexadecimal digits. */
  token_hash: string;
  player_id: string;
  created_at: number;
  expires_at: number;
}

/**
 * - requested: the ChallengeInstance is still to be created
 * - created: it exists, as far as is known
 * - stopping: it is to be deleted
 * - ended: it is gone, and how it ended is stored
 */
export type InstanceState = "requested" | "created" | "stopping" | "ended";

export interface InstanceTable {
  id: string;
  owner_id: string;
  started_by: string;
  challenge_name: string;
  /** Null where every instance of the challenge has the static flag. */
  flag: string | null;
  /** Finds a flag without comparing it with every other one. */
  flag_hmac: string | null;
  /** 1: the challenge had no unused flag left, so that another instance has the same. */
  flag_reused: number;
  state: InstanceState;
  started_at: number;
  ready_at: number | null;
  stop_requested_at: number | null;
  terminated_at: number | null;
  termination_reason: string | null;
  /** Of the ChallengeInstance, where somebody else created it. Null: the name that the API gives (`instanceName`). */
  object_name: string | null;
  /** Null: the owner asked for the stop. */
  stop_reason: TerminationReason | null;
  /** JSON of the steps of the start, stored when it has succeeded or failed: pods and events are gone later. */
  timeline: string | null;
}

export type InstanceRow = InstanceTable;

/** The last version of each Competition that was seen: it stays in force where the object vanishes. */
export interface CompetitionTable {
  name: string;
  /** JSON. */
  spec: string;
  seen_at: number;
}

/** Keys that are generated once. */
export interface SecretTable {
  name: string;
  value: string;
}

/** One row each time that somebody downloads a file of a challenge from us. */
export interface HandoutDownloadTable {
  /** Null: anonymous, or the account was deleted. */
  player_id: string | null;
  challenge_name: string;
  file_name: string;
  at: number;
}
