/**
 * Every error that the API answers with: a stable code, its HTTP status and its title. Clients match on the code; the
 * detail says what is wrong with which value and what to do, and never contains a flag or a token.
 */
import type { Problem } from "./wire.ts";

export const problemCodes = {
  invalid_request: { status: 400, title: "The request is invalid" },
  not_started: { status: 400, title: "The competition has not started" },
  competition_paused: { status: 400, title: "The competition is paused" },
  competition_over: { status: 400, title: "The competition is over" },
  teams_off: { status: 400, title: "There are no teams" },
  team_required: { status: 400, title: "Join a team first" },
  team_taken: { status: 400, title: "The name is taken" },
  team_full: { status: 400, title: "The team is full" },
  already_in_team: { status: 400, title: "You are in a team" },
  join_token_wrong: { status: 400, title: "The join link is not valid" },
  captain_required: { status: 403, title: "Only the captain may do this" },
  flag_wrong: { status: 400, title: "Invalid flag" },
  already_solved: { status: 400, title: "Already solved" },
  challenge_unknown: { status: 400, title: "There is no such challenge" },
  challenge_locked: { status: 400, title: "The challenge is locked" },
  challenge_closed: { status: 400, title: "The challenge is closed" },
  challenge_without_instance: { status: 400, title: "The challenge has no instances" },
  api_key_refused: { status: 400, title: "Not with an API key" },
  sign_in_required: { status: 401, title: "Sign in first" },
  banned: { status: 403, title: "Banned" },
  board_hidden: { status: 403, title: "The scoreboard is hidden" },
  role_required: { status: 403, title: "You may not do this" },
  origin_refused: { status: 403, title: "The request comes from another site" },
  sign_in_link_invalid: { status: 403, title: "The sign-in link is not valid" },
  registration_closed: { status: 403, title: "Registration is closed" },
  registration_code_wrong: { status: 403, title: "The registration code is wrong" },
  registration_full: { status: 403, title: "Registration is full" },
  mail_not_configured: { status: 404, title: "This server sends no mail" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  request_timeout: { status: 408, title: "The request took too long to arrive" },
  nothing_running: { status: 409, title: "Nothing is running" },
  renewal_refused: { status: 409, title: "The time cannot be extended" },
  last_admin: { status: 409, title: "One admin must remain" },
  restart_refused: { status: 409, title: "The instance cannot be restarted" },
  body_too_large: { status: 413, title: "The request is too large" },
  url_too_long: { status: 414, title: "The URL is too long" },
  body_not_json: { status: 415, title: "The request is not JSON" },
  too_many_requests: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "The headers are too large" },
  internal_error: { status: 500, title: "Something went wrong" },
  handout_unavailable: { status: 502, title: "The file cannot be fetched" },
  database_unavailable: { status: 503, title: "The database is not available" },
  kubernetes_unavailable: { status: 503, title: "Kubernetes is not available" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problemCodes;

export interface ProblemExtras {
  /** The field of the request that is wrong. */
  field?: string;
  /** Seconds after which a retry makes sense. */
  retryAfter?: number;
}

/** Thrown by rules and routes; the error handler answers with it. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.name = "ProblemError";
    this.problem = { type: "about:blank", ...problemCodes[code], detail, code, ...extras };
  }
}
