/**
 * Whose session or API key a request carries, read from the database once in ten seconds. What ends a session, replaces a
 * key or changes roles in this process calls `LiveHub.disconnect`, which empties the cache at once; a change that another
 * process makes has to call `invalidate`, or counts after `longestMs`.
 */
import type { Clock } from "@berg/kube";
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";
import { findPlayerByKey, type Player } from "../players/store.ts";
import { findSession, type Session } from "./store.ts";

const longestMs = 10_000;
/** The oldest are removed beyond this many. */
const mostEntries = 20_000;

interface Entry<T> {
  readonly playerId: string;
  readonly value: T;
  /** On the monotonic clock. */
  readonly readAt: number;
}

interface Deps {
  db: Kysely<Tables>;
  clock: Clock;
  /** Grows with each revocation in this process. */
  hub: { readonly revocations: number };
}

export class SessionCache {
  readonly #deps: Deps;
  /** By token: its hash, by which the database finds it, takes longer than the rest of a cached answer. */
  readonly #sessions = new Map<string, Entry<Session>>();
  readonly #keys = new Map<string, Entry<Player>>();
  #revocations = 0;
  /** Grows with each `invalidate`: what was read before it grew may not be true any more. */
  #generation = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The session of the token, while it lasts. Without a promise where it is cached. */
  session(token: string): Session | Promise<Session | undefined> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const known = this.#cached(this.#sessions, token);
    if (known && known.expiresAt > now) return known;
    return this.#read(
      () => findSession(db, token, now),
      (session) => this.#store(this.#sessions, token, session.player.id, session),
    );
  }

  /** Whose API key it is. Without a promise where it is cached. */
  ownerOfKey(key: string): Player | Promise<Player | undefined> {
    return (
      this.#cached(this.#keys, key) ??
      this.#read(
        () => findPlayerByKey(this.#deps.db, key),
        (player) => this.#store(this.#keys, key, player.id, player),
      )
    );
  }

  /** After a change of the player's name, attributes, roles, sessions or key that did not go through `LiveHub.disconnect`. */
  invalidate(playerId: string): void {
    this.#generation++;
    for (const entries of [this.#sessions, this.#keys]) {
      for (const [token, entry] of entries) if (entry.playerId === playerId) entries.delete(token);
    }
  }

  #cached<T>(entries: Map<string, Entry<T>>, token: string): T | undefined {
    const { hub, clock } = this.#deps;
    if (hub.revocations !== this.#revocations) {
      this.#revocations = hub.revocations;
      this.#sessions.clear();
      this.#keys.clear();
    }
    const entry = entries.get(token);
    return entry && clock.monotonic() - entry.readAt < longestMs ? entry.value : undefined;
  }

  /** Reads again where something was revoked meanwhile. */
  async #read<T>(read: () => Promise<T | undefined>, store: (found: T) => void): Promise<T | undefined> {
    for (;;) {
      const [{ revocations }, generation] = [this.#deps.hub, this.#generation];
      const found = await read();
      if (this.#deps.hub.revocations !== revocations || this.#generation !== generation) continue;
      if (found !== undefined) store(found);
      return found;
    }
  }

  #store<T>(entries: Map<string, Entry<T>>, token: string, playerId: string, value: T): void {
    entries.delete(token);
    entries.set(token, { playerId, value, readAt: this.#deps.clock.monotonic() });
    const [oldest] = entries.size > mostEntries ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
  }
}
