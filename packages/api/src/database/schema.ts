/** The tables of the API, as queries see them. `migrations.ts` creates them. Ids are UUIDs; times are ms since 1970. */
import type { TerminationReason } from "@berg/resources";
import type { Generated, Selectable } from "kysely";

export interface Tables {
  player: PlayerTable;
  sign_in_link: SignInLinkTable;
  session: SessionTable;
  instances: InstanceTable;
  secret: SecretTable;
  competition: CompetitionTable;
  row_lock: RowLockTable;
  handout_downloads: HandoutDownloadTable;
  team: TeamTable;
  team_member: TeamMemberTable;
  submission: SubmissionTable;
  ledger: LedgerTable;
  incident: IncidentTable;
  announcement: AnnouncementTable;
  audit: AuditTable;
  outbox: OutboxTable;
  identity: IdentityTable;
  pending_sign_in: PendingSignInTable;
  replica_event: ReplicaEventTable;
  rate_limit: RateLimitTable;
}

export interface PlayerTable {
  id: string;
  name: string;
  /**
   * Where the account comes from: `<issuer>#<subject>` of an identity provider, `local:<name>` for accounts of the
   * command line, `local:<id>` for those that registered or that an admin created, `deleted:<id>` for deleted ones.
   */
  federated_id: string;
  /** Granted here, by an admin or the command line; with commas between them. */
  roles: string;
  /** Given by the identity provider at the last sign-in; with commas between them. The player has both. */
  provider_roles: Generated<string>;
  /** SHA-256 of the API key, in hexadecimal digits. */
  api_key_hash: string | null;
  /** The first characters of the key, by which its owner recognises it. */
  api_key_placeholder: string | null;
  /** What a request with the API key may do beside what every player may: roles, with commas between them. */
  api_key_scopes: Generated<string>;
  /** What the player told about themselves: a JSON object of texts. */
  attributes: Generated<string>;
  /** Where lost sign-in links are sent, in lower case. Not unique and not verified: it identifies no one. */
  email: string | null;
  created_at: number;
  /** The row of a deleted player stays, without anything that names a person: solves and instances refer to it. */
  deleted_at: number | null;
  /** A banned player cannot sign in. */
  banned_at: Generated<number | null>;
}

export type PlayerRow = Selectable<PlayerTable>;

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
  /** By which it is listed and ended. Null where an older version created it. */
  id: string | null;
  player_id: string;
  created_at: number;
  expires_at: number;
  /** As the browser called itself at the sign-in. */
  user_agent: Generated<string>;
  /** Where the sign-in came from. Erased after ADDRESS_RETENTION. */
  address: string | null;
  /** Name of the identity provider that the player signed in with. Null: with a link. */
  provider: Generated<string | null>;
}

/** An account at an identity provider, and the player that it signs in as. Never found by the e-mail address. */
export interface IdentityTable {
  issuer: string;
  subject: string;
  player_id: string;
  signed_in_at: number;
}

/** A sign-in that a browser has begun at a provider. Any replica can finish it, once. */
export interface PendingSignInTable {
  /** SHA-256 of the `state` parameter, in hexadecimal digits. */
  state_hash: string;
  /** SHA-256 of the cookie that binds it to one browser. */
  browser_hash: string;
  provider: string;
  nonce: string;
  code_verifier: string;
  /** Path of the page to show afterwards. */
  return_path: string;
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

/**
 * Locks that are held until the end of a transaction: `update row_lock … where name = …`. For rules that count rows, such
 * as the number of places, which no index can check.
 */
export interface RowLockTable {
  name: "players" | "ledger";
}

/** What every replica has to apply, in the order of commits: see replicas/replicas.ts. */
export interface ReplicaEventTable {
  id: Generated<number>;
  /** JSON. */
  event: string;
  created_at: number;
}

/** Limits that all replicas share: see http/shared-limits.ts. Lost in a crash of PostgreSQL. */
export interface RateLimitTable {
  /** The rule and to whom it applies. */
  key: string;
  /** When the bucket is full again, by the clock of the database. */
  full_at: number;
}

/** One row each time that somebody downloads a file of a challenge from us. */
export interface HandoutDownloadTable {
  /** Null: anonymous, or the account was deleted. */
  player_id: string | null;
  challenge_name: string;
  file_name: string;
  at: number;
}

export interface TeamTable {
  id: string;
  name: string;
  /** The name in one writing (`nameKey`), so that no two teams look alike; `deleted:<id>` of a deleted team. */
  name_key: string;
  /** Everyone who has it can join. Members can read it, so it is not hashed. */
  join_token: string;
  captain_id: string;
  /** Name of a division of the Competition. */
  division: string | null;
  created_at: number;
  /** The row of a deleted team stays: its submissions refer to it. */
  deleted_at: number | null;
  /** Members of a banned team cannot submit flags. */
  banned_at: Generated<number | null>;
}

export type TeamRow = Selectable<TeamTable>;

/** Who was in which team, and when. A partial unique index allows one present team a player. */
export interface TeamMemberTable {
  team_id: string;
  player_id: string;
  joined_at: number;
  left_at: number | null;
}

/** `foreign`: the flag of an instance of another owner. `practice-…`: submitted after the end, without effect. */
export type Verdict = "correct" | "wrong" | "foreign" | "practice-correct" | "practice-wrong";

/** One row for each flag that was compared. */
export interface SubmissionTable {
  /** UUIDv7. */
  id: string;
  at: number;
  player_id: string;
  /** The team where teams are on, else the player. */
  scorer_id: string;
  challenge_name: string;
  verdict: Verdict;
  /** The submitted text; empty if it is the flag of an instance, because only the HMAC of a flag is stored. */
  value: string;
  value_hmac: string;
  /** The instance whose flag it is. */
  instance_id: string | null;
  /** Where it came from. Erased after ADDRESS_RETENTION. */
  address: string | null;
}

export type SubmissionRow = Selectable<SubmissionTable>;

/**
 * Everything that changes the scoreboard, in the order of commit: ids are given under a lock, without gaps.
 * - solve: of a challenge; one for each scorer and challenge
 * - award: points that an organiser gave
 * - hint: points that a hint costs
 * - ban, unban, hide, unhide: of a scorer
 * - scorer: a player or team that was created, renamed or deleted, or that changed its division or roles
 */
export type LedgerKind = "solve" | "award" | "hint" | "ban" | "unban" | "hide" | "unhide" | "scorer";

export interface LedgerTable {
  id: number;
  at: number;
  kind: LedgerKind;
  scorer_id: string;
  /** Who solved, or who took the hint. */
  player_id: string | null;
  challenge_name: string | null;
  points: number | null;
  /** The reason of an award, or the name of a hint. */
  detail: string | null;
}

export type LedgerRow = Selectable<LedgerTable>;

/** The flag of one owner submitted by another: evidence for organisers, who decide. */
export interface IncidentTable {
  id: string;
  submission_id: string;
  instance_id: string;
  state: "open" | "dismissed" | "confirmed";
  note: string;
  decided_by: string | null;
  decided_at: number | null;
}

export interface AnnouncementTable {
  /** UUIDv7. */
  id: string;
  at: number;
  title: string;
  /** Markdown. */
  content: string;
  created_by: string;
  deleted_at: number | null;
}

export type AnnouncementRow = Selectable<AnnouncementTable>;

/** What organisers did, for other organisers. */
export interface AuditTable {
  /** UUIDv7. */
  id: string;
  at: number;
  actor_id: string;
  /** Such as `team.ban`. */
  action: string;
  /** The id of what was changed. */
  target: string;
  /** JSON; null where it did not exist. Never a secret. */
  before: string | null;
  /** JSON; null where it no longer exists. */
  after: string | null;
}

export type AuditRow = Selectable<AuditTable>;

/** Messages that are still to be sent, and those that failed for good. A sent one is deleted. */
export interface OutboxTable {
  id: string;
  kind: "lost-links";
  /** JSON. Null: erased, since the message failed for good. It never contains a token or a link. */
  body: string | null;
  created_at: number;
  /** Deliveries that began. */
  attempts: number;
  /** When it may be claimed. While it is claimed: when the claim ends. */
  due_at: number;
  /** Of the worker that delivers it; null before the first try. */
  claim_id: string | null;
  /** Null: it is pending. */
  failed_at: number | null;
  /** Code of the last failure. */
  error: string | null;
}
