/**
 * Ways into targets that are open now: in memory, few, and for minutes.
 *
 *     asked ──► shared by all who ask meanwhile ──► kept 8 min ──► dropped: handed out no more ──► closed
 *
 * It is closed when the last who has it in his hands is done, and a minute later at most: a reconcile takes no longer.
 * With it, nothing of an administrator's kubeconfig is in memory for more than 10 minutes.
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
  /** How many have asked for it, and are not done. */
  users: number;
  /** Unset while it is being opened. */
  kept?: { target: Target; expiry: Timer };
}

const keptMs = 8 * 60_000;
const graceMs = 60_000;
/** Each costs half a MiB while its connections are open. */
const most = 100;

export class OpenTargets implements AsyncDisposable {
  readonly #clock: Clock;
  /** By the UID of their Cluster; the one that was asked for last comes last. */
  readonly #entries = new Map<string, Entry>();
  /** Dropped, and in somebody's hands still. */
  readonly #leaving = new Map<Entry, { target: Target; timer: Timer }>();
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
    entry.users++;
    this.#dropBeyondMost();
    try {
      return await abortable(entry.opening, signal);
    } catch (error) {
      this.#done(entry);
      throw error;
    }
  }

  forget(clusterUid: string): void {
    const entry = this.#entries.get(clusterUid);
    if (entry) this.#drop(clusterUid, entry);
  }

  /** At once, whoever has one in hand. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error("the targets are closed: the process ends"));
    const kept = [...this.#entries.values()].flatMap((entry) => entry.kept ?? []);
    const leaving = [...this.#leaving.values()];
    this.#entries.clear();
    this.#leaving.clear();
    for (const { expiry } of kept) expiry.cancel();
    for (const { timer } of leaving) timer.cancel();
    await Promise.all([...kept, ...leaving].map(({ target }) => target.client.close()));
  }

  #begin(uid: string, opensWith: string, open: (signal: AbortSignal) => Promise<Opened>): Entry {
    const opening = open(this.#end.signal).then(
      ({ target: opened, validMs = keptMs }) => {
        const target = { ...opened, done: () => this.#done(entry) };
        // Forgotten meanwhile: those who wait for it have it for the time of their work.
        if (this.#entries.get(uid) !== entry) this.#leave(entry, target);
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
    const entry: Entry = { opensWith, opening, users: 0 };
    // Those who asked may all have left.
    opening.catch(() => {});
    return entry;
  }

  #drop(uid: string, entry: Entry): void {
    this.#entries.delete(uid);
    entry.kept?.expiry.cancel();
    if (entry.kept) this.#leave(entry, entry.kept.target);
  }

  #leave(entry: Entry, target: Target): void {
    if (this.#end.signal.aborted || entry.users === 0) return void target.client.close();
    const timer = this.#clock.setTimer(graceMs, () => this.#close(entry));
    this.#leaving.set(entry, { target, timer });
  }

  #done(entry: Entry): void {
    entry.users--;
    if (entry.users === 0) this.#close(entry);
  }

  /** Where it was dropped; one that is kept stays open. */
  #close(entry: Entry): void {
    const leaving = this.#leaving.get(entry);
    this.#leaving.delete(entry);
    leaving?.timer.cancel();
    void leaving?.target.client.close();
  }

  #dropBeyondMost(): void {
    for (const [uid, entry] of this.#entries) {
      if (this.#entries.size <= most) return;
      this.#drop(uid, entry);
    }
  }
}
