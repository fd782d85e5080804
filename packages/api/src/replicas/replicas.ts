/**
 * What one replica tells the others, over PostgreSQL. On SQLite there is one process, and all of it stays in memory.
 *
 * - event: something that every replica must apply, such as the end of a session. It is a row, written in the transaction
 *   that makes the change, so it exists if and only if the change does. Each replica reads the rows after the last one
 *   that it has read. An advisory lock makes the order of ids the order of commits, so none is skipped.
 * - hint: that something about the instances of an owner has changed, or that the ledger has new entries. It may be lost:
 *   the leader reads the rows that wait for it every second, and each replica the ledger.
 *
 * A notification (NOTIFY) makes both arrive within milliseconds. Where it is lost, events are read within a second.
 */
import { listen, transact } from "@berg/database";
import { type Clock, errorText, type Logger, type Timer } from "@berg/kube";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../database/schema.ts";
import type { Identity } from "../events/live-hub.ts";

export type ReplicaEvent =
  /** These sessions or keys of the player are not valid any more. */
  | { kind: "revoked"; playerId: string; what: Revoked }
  /** The player was created, changed or deleted. */
  | { kind: "player"; playerId: string }
  /** The team was created, changed or deleted. */
  | { kind: "team"; teamId: string }
  /** The announcement was created or withdrawn. */
  | { kind: "announcement"; id: string }
  /** There are new entries in the ledger. */
  | { kind: "ledger" };

const knownKinds: readonly string[] = ["revoked", "player", "team", "announcement", "ledger"];

/** `{ session }` ends one session, `{ sessions: "all", except }` all but one, `"key"` the API key, `"all"` both. */
export type Revoked = "all" | "key" | { session: string } | { sessions: "all"; except?: string | undefined };

export function isRevoked(what: Revoked, { sessionId }: Pick<Identity, "sessionId">): boolean {
  if (what === "all") return true;
  if (what === "key") return sessionId === undefined;
  if ("session" in what) return sessionId === what.session;
  return sessionId !== undefined && sessionId !== what.except;
}

/**
 * `owner`: rows were changed that the leader has to act on. `instance`: the leader has changed rows. `ledger`: there are
 * new entries.
 */
export type Hint = { kind: "owner" | "instance"; ownerId: string } | { kind: "ledger" };

export interface ReplicaListener {
  onEvent(event: ReplicaEvent): void;
  onHint(hint: Hint): void;
  /** Hints may have been lost. */
  onReconnect(): void;
}

export interface ReplicasOptions {
  db: Kysely<Tables>;
  address: Parameters<typeof listen>[0]["address"];
  clock: Clock;
  log: Logger;
}

export type Announce = (event: ReplicaEvent) => void;

const channel = "berg_api";
const pollMs = 1_000;
/** How long rows are kept, and how often old ones are deleted. */
const keepMs = 24 * 3_600_000;
const deleteMs = 3_600_000;
/** "berg" and "even" in ASCII. */
const eventLock = [0x62657267, 0x6576656e] as const;

export class Replicas {
  readonly #options: ReplicasOptions;
  /** Ids of events that this process has applied or is about to apply by itself. */
  readonly #own = new Set<number>();
  #listener: ReplicaListener | undefined;
  #last = 0;
  #isReading = false;
  #isReadWanted = false;
  #deletedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReplicasOptions) {
    this.#options = options;
  }

  /** Whether there may be others. */
  get areShared(): boolean {
    return this.#options.address.kind === "postgres";
  }

  /**
   * Runs a transaction, again where others made the database roll it back, and tells all replicas what it announces. This
   * one applies it before the promise resolves.
   *
   *     await replicas.transact(async (transaction, announce) => {
   *       await endSessions(transaction, playerId);
   *       announce({ kind: "revoked", playerId, what: { sessions: "all" } });
   *     });
   */
  async transact<T>(run: (transaction: Transaction<Tables>, announce: Announce) => Promise<T>): Promise<T> {
    let events: ReplicaEvent[] = [];
    let isStored = false;
    try {
      const result = await transact(this.#options.db, async (transaction) => {
        events = [];
        const done = await run(transaction, (event) => events.push(event));
        if (this.areShared && events.length > 0) await this.#store(transaction, events);
        isStored = true;
        return done;
      });
      this.#apply(events);
      return result;
    } catch (error) {
      // A connection that is lost during the commit does not tell whether it was done. To close a socket for nothing does
      // no harm: its page connects again.
      if (isStored) this.#apply(events);
      throw error;
    }
  }

  /** Tells the others, without waiting. */
  hint(hint: Hint): void {
    if (!this.areShared) return;
    const { db, log } = this.#options;
    notify(db, hint.kind === "ledger" ? hint.kind : `${hint.kind} ${hint.ownerId}`).catch((error) =>
      log.debug({ error: errorText(error) }, "a hint could not be sent to the other replicas"),
    );
  }

  /** From now on the listener hears of what other replicas change, and of what this one does. */
  async start(listener: ReplicaListener): Promise<AsyncDisposable> {
    this.#listener = listener;
    if (!this.areShared) return { async [Symbol.asyncDispose]() {} };
    const { db, address, clock, log } = this.#options;
    const { last } = await db
      .selectFrom("replica_event")
      .select((is) => is.fn.max("id").as("last"))
      .executeTakeFirstOrThrow();
    this.#last = last ?? 0;
    await using parts = new AsyncDisposableStack();
    let connections = 0;
    parts.use(
      listen({
        ...{ address, channel, clock, log },
        onConnect: () => {
          void this.#read();
          if (++connections > 1) listener.onReconnect();
        },
        onMessage: (payload) => this.#receive(payload),
      }),
    );
    let timer: Timer | undefined;
    const poll = () => {
      timer = clock.setTimer(pollMs, poll);
      void this.#read();
    };
    poll();
    parts.defer(() => timer?.cancel());
    return parts.move();
  }

  async #store(transaction: Transaction<Tables>, events: readonly ReplicaEvent[]): Promise<void> {
    const created_at = this.#options.clock.now();
    const [first, second] = [sql.lit(eventLock[0]), sql.lit(eventLock[1])];
    // Last in the transaction, since others wait for it until the commit.
    await sql`select pg_advisory_xact_lock(${first}, ${second})`.execute(transaction);
    const rows = await transaction
      .insertInto("replica_event")
      .values(events.map((event) => ({ event: JSON.stringify(event), created_at })))
      .returning("id")
      .execute();
    for (const { id } of rows) this.#own.add(id);
    await notify(transaction, "events");
  }

  #apply(events: readonly ReplicaEvent[]): void {
    for (const event of events) this.#listener?.onEvent(event);
  }

  #receive(payload: string): void {
    if (payload === "events") return void this.#read();
    if (payload === "ledger") this.#listener?.onHint({ kind: "ledger" });
    const [, kind, ownerId] = /^(owner|instance) (.+)$/.exec(payload) ?? [];
    if (ownerId !== undefined) this.#listener?.onHint({ kind: kind as "owner" | "instance", ownerId });
  }

  /** One at a time: of those that are asked for meanwhile, one follows. */
  async #read(): Promise<void> {
    this.#isReadWanted = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isReadWanted) {
        this.#isReadWanted = false;
        await this.#readNew();
      }
      await this.#deleteOld();
    } catch (error) {
      this.#options.log.debug({ error: errorText(error) }, "cannot read what other replicas changed; trying again");
    } finally {
      this.#isReading = false;
    }
  }

  async #readNew(): Promise<void> {
    const { db, log } = this.#options;
    const rows = await db
      .selectFrom("replica_event")
      .select(["id", "event"])
      .where("id", ">", this.#last)
      .orderBy("id")
      .execute();
    for (const { id, event } of rows) {
      this.#last = id;
      if (this.#own.delete(id)) continue;
      const read = JSON.parse(event) as ReplicaEvent;
      // A newer version may have kinds that this one does not know.
      if (knownKinds.includes(read.kind)) this.#listener?.onEvent(read);
      else log.debug({ id }, "ignoring an event of a newer version");
    }
  }

  async #deleteOld(): Promise<void> {
    const { db, clock } = this.#options;
    if (clock.monotonic() - this.#deletedAt < deleteMs) return;
    this.#deletedAt = clock.monotonic();
    await db
      .deleteFrom("replica_event")
      .where("created_at", "<", clock.now() - keepMs)
      .execute();
  }
}

async function notify(db: Kysely<Tables>, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db);
}
