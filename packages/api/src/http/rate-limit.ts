/**
 * How often one player or address may ask for what costs the platform something. In memory; those that matter most are
 * counted for all replicas together as well.
 */
import type { Clock } from "@berg/kube";
import { ProblemError } from "../problems.ts";
import type { Bucket, SharedLimits } from "./shared-limits.ts";

interface Rule {
  burst: number;
  perSecond: number;
}

/** One whose numbers an organiser sets. */
interface NamedRule extends Rule {
  name: string;
}

const rules = {
  /**
   * By address. All players of an event on site may have one, and open their links in the same minute. A token has 256
   * bits, so the limit is not against guessing: it keeps one address from occupying the database.
   */
  "sign-in": { burst: 300, perSecond: 5 },
  /** By address, which all players of an event on site may share. */
  registration: { burst: 300, perSecond: 2 },
  /** By address: only wrong codes count, which are short enough to be guessed. */
  "registration-code": { burst: 10, perSecond: 1 / 30 },
  /** By address: each may become a mail. */
  "lost-link": { burst: 10, perSecond: 1 / 30 },
  /** By e-mail address: its owner must not be flooded, and each mail ends the link in the one before. */
  "lost-link-email": { burst: 3, perSecond: 1 / 600 },
  /** By player: changes of the own account, each of which is announced to everybody or ends sessions. */
  account: { burst: 20, perSecond: 0.2 },
  /** By player: starts and renewals. */
  start: { burst: 30, perSecond: 1 },
  /** By player, or by address where nobody is signed in: many players may share one. Each download is a row. */
  handout: { burst: 200, perSecond: 5 },
} as const satisfies Record<string, Rule>;

type LimitRule = keyof typeof rules | NamedRule;

/** Buckets that are full again are forgotten; more than these are not kept. */
const mostBuckets = 50_000;

export class RateLimits {
  readonly #clock: Clock;
  readonly #shared: SharedLimits | undefined;
  /** When each bucket is full again, on the monotonic clock. */
  readonly #fullAt = new Map<string, number>();

  /** Without `shared` this process is the only one. */
  constructor(clock: Clock, shared?: SharedLimits) {
    this.#clock = clock;
    this.#shared = shared;
  }

  /** As `take`, for all replicas together. */
  async takeShared(rule: LimitRule, who: string): Promise<void> {
    // First, so that a flood costs no query.
    this.take(rule, who);
    refuseFor((await this.#shared?.take(bucketOf(rule, who))) ?? 0);
  }

  /** As `check`, for all replicas together. */
  async checkShared(rule: keyof typeof rules, who: string): Promise<void> {
    this.check(rule, who);
    refuseFor((await this.#shared?.wait(bucketOf(rule, who))) ?? 0);
  }

  /** Throws a problem that says how long to wait, where there were too many. */
  take(rule: LimitRule, who: string): void {
    const fullAt = this.check(rule, who);
    this.#fullAt.set(bucketOf(rule, who).key, fullAt);
    if (this.#fullAt.size > mostBuckets) this.#forgetFull(this.#clock.monotonic());
  }

  /** Throws as `take` does, and counts nothing. Returns when the bucket would be full again. */
  check(rule: LimitRule, who: string): number {
    const { key, burst, intervalMs } = bucketOf(rule, who);
    const now = this.#clock.monotonic();
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, now) + intervalMs;
    refuseFor(fullAt - (now + burst * intervalMs));
    return fullAt;
  }

  #forgetFull(now: number): void {
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key);
    // Still too many at once: the oldest go, rather than the memory.
    for (const key of this.#fullAt.keys()) {
      if (this.#fullAt.size <= mostBuckets) break;
      this.#fullAt.delete(key);
    }
  }
}

function bucketOf(rule: LimitRule, who: string): Bucket {
  const { name, burst, perSecond } = typeof rule === "string" ? { name: rule, ...rules[rule] } : rule;
  return { key: `${name} ${who}`, burst, intervalMs: 1000 / perSecond };
}

function refuseFor(waitMs: number): void {
  if (waitMs <= 0) return;
  const retryAfter = Math.ceil(waitMs / 1000);
  throw new ProblemError("too_many_requests", `Try again in ${retryAfter} s.`, { retryAfter });
}
