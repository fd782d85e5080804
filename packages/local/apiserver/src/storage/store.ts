/**
 * All tables at one revision, and the way of a write: it gets its revision, waits with others for the disk, and is then
 * published to readers and watchers, together with those that were committed with it, and answered.
 *
 * Group commit: what is written in one turn of the event loop, and what gathers while a commit is under way, goes to
 * disk together. Where that fails, nothing of it becomes known, and what gathered meanwhile fails too: it was decided on
 * a state that never came to be. Revisions of failed writes are not given again.
 */
import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Clock } from "@berg/kube";
import type { Disk } from "./disk.ts";
import type { HistoryLimits } from "./history.ts";
import { MemoryTable, type Surroundings, type Write } from "./memory-table.ts";
import type { AnyStored, Store } from "./table.ts";

interface Waiting {
  write: Write;
  answer: PromiseWithResolvers<AnyStored>;
}

// Old history of tables in which nothing happens goes at the latest so long after it may.
const sweptEveryMs = 60_000;

export class MvccStore implements Store, Surroundings {
  readonly #clock: Clock;
  readonly #disk: Disk;
  readonly #limits: HistoryLimits;
  readonly #tables = new Map<string, MemoryTable>();
  #gathered: Waiting[] = [];
  #committing: Promise<void> | undefined;
  /** Answered after all others, for they are answered in order. */
  #last: Promise<unknown> | undefined;
  #revision: number;
  #given: number;
  #compacted: number;
  #sweptAt: number;
  #closing: Promise<void> | undefined;

  constructor(clock: Clock, disk: Disk, revision: number, limits: HistoryLimits) {
    this.#clock = clock;
    this.#disk = disk;
    this.#limits = limits;
    this.#revision = revision;
    this.#given = revision;
    this.#compacted = revision;
    this.#sweptAt = clock.monotonic();
  }

  get revision(): number {
    return this.#revision;
  }

  get nextRevision(): number {
    return this.#given + 1;
  }

  table(name: string): MemoryTable {
    let table = this.#tables.get(name);
    if (!table) {
      table = new MemoryTable(name, this, this.#compacted, this.#limits);
      this.#tables.set(name, table);
    }
    return table;
  }

  compact(revision: number): void {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, this.#revision));
    for (const table of this.#tables.values()) table.history.compact(this.#compacted);
  }

  write(write: Write): Promise<AnyStored> {
    if (this.#closing !== undefined) throw closed();
    this.#given = write.event.revision;
    const answer = Promise.withResolvers<AnyStored>();
    this.#gathered.push({ write, answer });
    this.#committing ??= this.#commitGathered();
    this.#last = answer.promise;
    return answer.promise;
  }

  async settled(): Promise<void> {
    await this.#last?.catch(() => {});
  }

  /** What is under way still comes to disk and is answered; what comes now is refused. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #commitGathered(): Promise<void> {
    await endOfTurn();
    while (this.#gathered.length > 0) {
      const batch = this.#gathered;
      this.#gathered = [];
      const revision = batch.at(-1)?.write.event.revision as number;
      try {
        await this.#disk.commit(
          batch.map(({ write: { table, key, text } }) => ({ table: table.name, key, text })),
          revision,
        );
      } catch (error) {
        this.#takeBack([...batch, ...this.#gathered], error);
        continue;
      }
      this.#publish(batch, revision);
    }
    this.#committing = undefined;
  }

  #publish(batch: readonly Waiting[], revision: number): void {
    const now = this.#clock.monotonic();
    const touched = new Set<MemoryTable>();
    for (const { write } of batch) {
      write.table.publish(write, now);
      touched.add(write.table);
    }
    this.#revision = revision;
    this.#sweep(now);
    for (const table of touched) table.history.wake();
    for (const { write, answer } of batch) answer.resolve(write.event.object);
  }

  #takeBack(failed: readonly Waiting[], error: unknown): void {
    this.#gathered = [];
    for (const table of this.#tables.values()) table.takeBack();
    for (const { answer } of failed) answer.reject(error);
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < sweptEveryMs) return;
    this.#sweptAt = now;
    for (const table of this.#tables.values()) table.history.trim(now);
  }

  async #close(): Promise<void> {
    await this.#committing;
    for (const table of this.#tables.values()) table.history.end(closed());
    await this.#disk.close(this.#given);
  }
}

function closed(): Error {
  return new Error("the store is closed");
}
