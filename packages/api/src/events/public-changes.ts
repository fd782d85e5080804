/**
 * The log of public changes: the newest change of each challenge, page, player, team, announcement and of the rules. A version is
 * `<epoch>.<n>`: n counts the changes, and a new epoch begins where the count cannot go on (a new process, other caches).
 * A client that names the version that it has gets what changed since, or is told to reload where the log does not reach
 * back so far.
 */
import { randomBytes } from "node:crypto";
import type { Clock } from "@berg/kube";
import type { PublicMessage, Tick, TickChange } from "../wire.ts";

/** Before the start, challenges are for admins only. */
export type Audience = "all" | "admins";

export interface Recorded {
  readonly n: number;
  readonly audience: Audience;
  /** The message as clients of the original receive it. */
  readonly text: string;
}

interface Entry extends Recorded, Pick<TickChange, "type" | "id"> {
  /** On the monotonic clock. */
  readonly at: number;
}

/** Changes of more objects than these are not kept: clients that were away for so long reload. */
const mostEntries = 1_000;
/** Documents that a client read while it was connecting are not older. */
const recentMs = 60_000;

export class PublicChanges {
  readonly #clock: Clock;
  /** By object, in the order of their numbers: a later change of the same object replaces the earlier one. */
  readonly #entries = new Map<string, Entry>();
  #epoch = newEpoch();
  #last = 0;
  /** What the log does not contain any more. */
  #dropped: { n: number; at: number };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#dropped = { n: 0, at: clock.monotonic() };
  }

  get version(): string {
    return `${this.#epoch}.${this.#last}`;
  }

  /** The number of the newest change. */
  get last(): number {
    return this.#last;
  }

  /** Returns whether it is news: a message that equals the last one about the same object is not. */
  record(message: PublicMessage, audience: Audience): boolean {
    const { type, id } = subjectOf(message);
    const key = `${audience} ${type} ${id}`;
    const text = JSON.stringify(message);
    if (this.#entries.get(key)?.text === text) return false;
    this.#entries.delete(key);
    this.#entries.set(key, { n: ++this.#last, at: this.#clock.monotonic(), audience, text, type, id });
    if (this.#entries.size > mostEntries) this.#dropOldest();
    return true;
  }

  /** What has a number above `n`, oldest first. */
  after(n: number): Recorded[] {
    return [...this.#entries.values()].filter((entry) => entry.n > n);
  }

  /** What a client with that version has to read again. Undefined: nothing. */
  since(version: string, isAdmin: boolean): Tick | undefined {
    const [, epoch, digits] = /^(\w+)\.(\d{1,15})$/.exec(version) ?? [];
    const n = Number(digits);
    if (epoch !== this.#epoch || n < this.#dropped.n || n > this.#last) {
      return { version: this.version, reload: true, changes: [] };
    }
    const changes = [...this.#entries.values()]
      .filter((entry) => entry.n > n && (isAdmin || entry.audience === "all"))
      .map(({ type, id, n }) => ({ type, id, version: `${epoch}.${n}` }));
    return changes.length === 0 ? undefined : { version: this.version, reload: false, changes };
  }

  /** The version for a client that has read everything a moment ago. Of no epoch, where the log is younger than that. */
  recentVersion(): string {
    const from = this.#clock.monotonic() - recentMs;
    if (this.#dropped.at > from) return "";
    let n = this.#dropped.n;
    for (const entry of this.#entries.values()) {
      if (entry.at > from) break;
      n = entry.n;
    }
    return `${this.#epoch}.${n}`;
  }

  /** After changes may have been missed: everybody reloads with the next one. */
  restart(): void {
    this.#epoch = newEpoch();
    this.#entries.clear();
    this.#dropped = { n: this.#last, at: this.#clock.monotonic() };
  }

  #dropOldest(): void {
    for (const [key, { n, at }] of this.#entries) {
      this.#entries.delete(key);
      this.#dropped = { n, at };
      return;
    }
  }
}

function newEpoch(): string {
  return randomBytes(6).toString("hex");
}

/** Which object a message is about; its deletion is a change of the same object. */
function subjectOf(message: PublicMessage): Pick<TickChange, "type" | "id"> {
  switch (message.type) {
    case "challenge":
      return { type: "challenge", id: message.message.name };
    case "page":
      return { type: "page", id: message.message.path };
    case "player":
      return { type: "player", id: message.message.id };
    case "challenge-delete":
      return { type: "challenge", id: message.message };
    case "page-delete":
      return { type: "page", id: message.message };
    case "player-delete":
      return { type: "player", id: message.message };
    case "team":
      return { type: "team", id: message.message.id };
    case "team-delete":
      return { type: "team", id: message.message };
    case "announcement":
      return { type: "announcement", id: message.message.id };
    case "announcement-delete":
      return { type: "announcement", id: message.message };
    case "metadata":
      return { type: "metadata", id: null };
  }
}
