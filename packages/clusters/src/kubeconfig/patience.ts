/** How long a target is left alone after trouble with it: 5 s, 10 s, … 2 min; or, if told so, until something changes. */
import type { Clock, Random } from "@berg/kube";
import type { Trouble } from "./trouble.ts";

const firstMs = 5_000;
const longestMs = 120_000;
/** What a change should end, and nobody has told us of one: a net below what is watched. */
const untoldMs = 600_000;

interface Rest {
  facts: string;
  failures: number;
  trouble: Trouble;
  /** By the monotonic clock. */
  until: number;
}

export class Patience {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #rests = new Map<string, Rest>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** What stood in the way last, while it rests; other facts end a rest. */
  resting(uid: string, facts: string): Trouble | undefined {
    const rest = this.#rests.get(uid);
    return rest && rest.facts === facts && rest.until > this.#clock.monotonic() ? rest.trouble : undefined;
  }

  /** In how many ms it is worth another try. */
  restMs(uid: string): number {
    return (this.#rests.get(uid)?.until ?? 0) - this.#clock.monotonic();
  }

  failed(uid: string, facts: string, trouble: Trouble): void {
    const before = this.#rests.get(uid);
    const failures = before?.facts === facts ? before.failures + 1 : 1;
    const delay = Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (1 - this.#random() / 10);
    const until = this.#clock.monotonic() + (trouble.again ? delay : untoldMs);
    this.#rests.set(uid, { facts, failures, trouble, until });
  }

  /** It worked, or there is nothing more to do. */
  forget(uid: string): void {
    this.#rests.delete(uid);
  }
}
