/**
 * Ways into targets that are open now: in memory, few, and for minutes.
 *
 *     asked ──► shared by all who ask meanwhile ──► kept 8 min ──► dropped: handed out no more ──► closed 1 min later
 *
 * The last minute is for those who have it in their hands: a reconcile takes no longer. With it, nothing of an
 * administrator's kubeconfig is in memory for more than 10 minutes.
 */
import { abortable, type Clock, type Timer } from "@berg/kube";
import type { Target } from "./target.ts";

/** What a target's keeper has to know beside the target. */
export interface Opened {
  target: Target;
  /** For how long it may be handed out, where that is less than usual. */
  validMs?: number;
}

interface Entry {
  /** What it was opened with: another Shoot, address or Secret needs another. */
  opensWith: string;
  opening: Promise<Target>;
  /** Unset while it is being opened. */
  kept?: { target: Target; expiry: Timer };
}

const keptMs = 8 * 60_000;
const graceMs = 60_000;
const most = 200;

export class OpenTargets implements AsyncDisposable {
  readonly #clock: Clock;
  /** By the UID of their Cluster; the one that was asked for last comes last. */
  readonly #entries = new Map<string, Entry>();
  /** Dropped, and not closed yet. */
  readonly #leaving = new Map<Target, Timer>();
  readonly #end = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The one that is open, or the one that `open` makes. Its signal is this keeper's: one asker who leaves ends nobody's wait. */
  async get(
    clusterUid: string,
    opensWith: string,
    open: (signal: AbortSignal) => Promise<Opened>,
    signal: AbortSignal,
  ): Promise<Target> {
    this.#end.signal.throwIfAborted();
    let entry = this.#entries.get(clusterUid);
    if (entry?.opensWith !== opensWith) {
      this.forget(clusterUid);
      entry = this.#begin(clusterUid, opensWith, open);
    }
    this.#entries.delete(clusterUid);
    this.#entries.set(clusterUid, entry);
    this.#dropBeyondMost();
    return abortable(entry.opening, signal);
  }

  forget(clusterUid: string): void {
    const entry = this.#entries.get(clusterUid);
    if (entry) this.#drop(clusterUid, entry);
  }

  /** At once, whoever has one in hand. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const [uid, entry] of this.#entries) this.#drop(uid, entry);
    this.#end.abort(new Error("the targets are closed: the process ends"));
    const leaving = [...this.#leaving];
    this.#leaving.clear();
    for (const [, timer] of leaving) timer.cancel();
    await Promise.all(leaving.map(([{ client }]) => client.close()));
  }

  #begin(uid: string, opensWith: string, open: (signal: AbortSignal) => Promise<Opened>): Entry {
    const opening = open(this.#end.signal).then(
      ({ target, validMs = keptMs }) => {
        // Forgotten meanwhile: those who wait for it have it for the time of their work.
        if (this.#entries.get(uid) !== entry) this.#leave(target);
        else {
          const expiry = this.#clock.setTimer(Math.min(validMs, keptMs), () => this.#drop(uid, entry));
          entry.kept = { target, expiry };
        }
        return target;
      },
      (error: unknown) => {
        if (this.#entries.get(uid) === entry) this.#entries.delete(uid);
        throw error;
      },
    );
    const entry: Entry = { opensWith, opening };
    // Those who asked may all have left.
    opening.catch(() => {});
    return entry;
  }

  #drop(uid: string, entry: Entry): void {
    this.#entries.delete(uid);
    entry.kept?.expiry.cancel();
    if (entry.kept) this.#leave(entry.kept.target);
  }

  #leave(target: Target): void {
    if (this.#end.signal.aborted) return void target.client.close();
    const timer = this.#clock.setTimer(graceMs, () => {
      this.#leaving.delete(target);
      void target.client.close();
    });
    this.#leaving.set(target, timer);
  }

  #dropBeyondMost(): void {
    for (const [uid, entry] of this.#entries) {
      if (this.#entries.size <= most) return;
      this.#drop(uid, entry);
    }
  }
}
