/**
 * Delivers the messages of the outbox, one after the other. Every replica runs a worker. A message is delivered at least
 * once: a worker that dies after the delivery and before it has removed the row leads to a second one.
 */
import { DatabaseError } from "@berg/database";
import { type Clock, errorText, type Logger, type Random, systemRandom, type Timer } from "@berg/kube";
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";
import type { ApiMetrics } from "../metrics.ts";
import {
  type Claimed,
  claimNext,
  countPending,
  enqueue,
  markFailed,
  type OutboxKind,
  removeSent,
  retryLater,
} from "./store.ts";

/** Why a delivery failed. Its code is logged and stored; the text of the other side is not, since it may name people. */
export class DeliveryError extends Error {
  /** `refused`: never again. `unreachable`: the next message would fail as well. */
  readonly kind: "refused" | "temporary" | "unreachable";
  readonly code: string;

  constructor(kind: DeliveryError["kind"], code: string) {
    super(`cannot deliver: ${code}`);
    this.name = "DeliveryError";
    this.kind = kind;
    this.code = code;
  }
}

/** Delivers one message, or throws a DeliveryError. `skipped`: there was nothing to deliver. */
export type Deliver = (body: unknown, signal: AbortSignal) => Promise<"sent" | "skipped">;

export type OutboxResult = "sent" | "skipped" | "retried" | "failed";

export interface OutboxDeps {
  db: Kysely<Tables>;
  clock: Clock;
  log: Logger;
  deliver: Readonly<Record<OutboxKind, Deliver>>;
  metrics?: Pick<ApiMetrics, "outboxDelivery"> | undefined;
  random?: Random;
}

const pollMs = 5_000;
/** Messages of one round. The next round follows at once if there are more. */
const batch = 20;
const deliveryMs = 20_000;
/** Longer than a delivery by more than the clocks of replicas differ. */
const claimMs = 5 * 60_000;
const mostAttempts = 10;
const backoff = { firstMs: 5_000, maxMs: 10 * 60_000 };
/** A sign-in link is of no use long after it was asked for. */
const longestWaitMs = 60 * 60_000;
/** At the end of this process. What is not delivered by then is delivered after its claim ends. */
const stopMs = 5_000;

export class OutboxWorker implements AsyncDisposable {
  readonly #deps: OutboxDeps;
  readonly #random: Random;
  readonly #abort = new AbortController();
  #timer: Timer | undefined;
  #round: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;
  #pending = 0;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
    this.#random = deps.random ?? systemRandom;
  }

  /** As counted at the last round. */
  get pending(): number {
    return this.#pending;
  }

  /** Stores a message, in the transaction of its cause. Call `run` after it. */
  async enqueue(db: Kysely<Tables>, kind: OutboxKind, body: object): Promise<void> {
    await enqueue(db, { kind, body, now: this.#deps.clock.now() });
  }

  /** Delivers what is due, and from then on at regular intervals. Never rejects. */
  run(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#isWoken = true;
    this.#timer?.cancel();
    this.#round ??= this.#runRounds();
    return this.#round;
  }

  /** Claims no further message, and waits for the delivery under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    const late = this.#deps.clock.setTimer(stopMs, () => this.#abort.abort());
    await this.#round;
    late.cancel();
  }

  async #runRounds(): Promise<void> {
    const { db, clock, log } = this.#deps;
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      try {
        this.#isWoken ||= await this.#deliverBatch();
        this.#pending = await countPending(db);
      } catch (error) {
        log.warn({ error: errorText(error) }, "cannot read the outbox; trying again");
      }
    }
    this.#round = undefined;
    if (!this.#isStopped) this.#timer = clock.setTimer(pollMs, () => void this.run());
  }

  /** Whether there may be more. */
  async #deliverBatch(): Promise<boolean> {
    const { db, clock } = this.#deps;
    for (let count = 0; count < batch; count++) {
      if (this.#isStopped) return false;
      const now = clock.now();
      const claimed = await claimNext(db, { now, until: now + claimMs });
      if (!claimed) return false;
      if (!(await this.#handle(claimed))) return false;
    }
    return true;
  }

  /** Whether the next message has a chance. */
  async #handle(claimed: Claimed): Promise<boolean> {
    const { db, clock, log, metrics } = this.#deps;
    const { id, kind, attempts } = claimed;
    const count = (result: OutboxResult) => metrics?.outboxDelivery(kind, result);
    const now = clock.now();
    if (now - claimed.createdAt > longestWaitMs) {
      await markFailed(db, claimed, { now, error: "EXPIRED" });
      log.warn({ id, kind, attempts }, "a message waited too long and is not sent");
      count("failed");
      return true;
    }
    try {
      const result = await this.#deliver(claimed);
      await removeSent(db, claimed);
      log.info({ id, kind, attempts, result }, "a message was delivered");
      count(result);
      return true;
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      const { kind: failure, code } =
        error instanceof DeliveryError ? error : new DeliveryError("temporary", "INTERNAL");
      const isFinal = failure === "refused" || attempts >= mostAttempts;
      if (isFinal) await markFailed(db, claimed, { now: clock.now(), error: code });
      else await retryLater(db, claimed, { dueAt: clock.now() + this.#backoffMs(attempts), error: code });
      log.warn({ id, kind, attempts, code, isFinal }, "a message could not be delivered");
      count(isFinal ? "failed" : "retried");
      return failure !== "unreachable";
    }
  }

  async #deliver({ kind, body }: Claimed): Promise<"sent" | "skipped"> {
    const { clock, deliver } = this.#deps;
    const deadline = new AbortController();
    const timer = clock.setTimer(deliveryMs, () => deadline.abort());
    try {
      return await deliver[kind](body, AbortSignal.any([deadline.signal, this.#abort.signal]));
    } finally {
      timer.cancel();
    }
  }

  /** Drawn from the upper half: messages that failed together do not come back together. */
  #backoffMs(attempts: number): number {
    const ceiling = Math.min(backoff.maxMs, backoff.firstMs * 2 ** (attempts - 1));
    return Math.round(ceiling * (0.5 + this.#random() / 2));
  }
}
