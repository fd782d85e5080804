/**
 * Erases what must not be kept: addresses of sign-ins and of deleted accounts, and messages that are not to be sent.
 * Every replica does it.
 */
import { type Clock, errorText, type Logger, type Timer } from "@berg/kube";
import type { Kysely } from "kysely";
import { deleteOldMessages } from "../outbox/store.ts";
import { eraseAddresses } from "../sessions/addresses.ts";
import type { Tables } from "./schema.ts";

const minute = 60_000;
const hour = 60 * minute;
/** Long enough for an organiser to look at the failed ones. */
const messagesMs = 24 * hour;

export interface RetentionDeps {
  db: Kysely<Tables>;
  clock: Clock;
  log: Logger;
  /** 0: addresses that are still stored are erased at once. */
  addressRetentionMs: number;
}

export class Retention implements AsyncDisposable {
  readonly #deps: RetentionDeps;
  #timer: Timer | undefined;
  #round: Promise<void>;
  #isStopped = false;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
    this.#round = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#round;
  }

  async #run(): Promise<void> {
    const { db, clock, log, addressRetentionMs } = this.#deps;
    try {
      await eraseAddresses(db, clock.now() - addressRetentionMs);
      await eraseEmailsOfDeleted(db);
      await deleteOldMessages(db, clock.now() - messagesMs);
    } catch (error) {
      log.warn({ error: errorText(error) }, "cannot erase old addresses; trying again");
    }
    if (this.#isStopped) return;
    // An address stays at most a tenth longer than it should.
    const intervalMs = Math.min(hour, Math.max(minute, addressRetentionMs / 10));
    this.#timer = clock.setTimer(intervalMs, () => {
      this.#round = this.#run();
    });
  }
}

/** A replica of the version before this one knows no e-mail addresses, and leaves them when it deletes an account. */
async function eraseEmailsOfDeleted(db: Kysely<Tables>): Promise<void> {
  await db
    .updateTable("player")
    .set({ email: null })
    .where("deleted_at", "is not", null)
    .where("email", "is not", null)
    .execute();
}
