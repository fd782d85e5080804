/** The store against the simplest thing that could be right: a list of everything that ever happened. */
import { FakeClock } from "@berg/kube/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { drain, note, show, showEvent, shown } from "./fixtures.ts";
import { openStore } from "./open-store.ts";
import { Compacted, type Cursor, type HistoryEvent, type Store } from "./table.ts";

interface Happened {
  table: string;
  key: string;
  revision: number;
  type: HistoryEvent["type"];
  shown: string;
}

interface Watch {
  cursor: Cursor;
  table: string;
  from: number;
  isSlow: boolean;
  seen: string[];
}

const table = fc.constantFrom("notes", "pods");
const place = { table, namespace: fc.constantFrom("a", "a-b", "b"), name: fc.constantFrom("x", "y", "z") };
const back = fc.nat(8);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), ...place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), ...place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), back }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("watch" as const), table, back, isSlow: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1_000, 61_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const history = { fewest: 4, most: 12, keptForMs: 60_000 };

class Run {
  readonly #clock: FakeClock;
  readonly #store: Store;
  readonly #happened: Happened[] = [];
  readonly #watches = new Set<Watch>();
  #writing: Promise<unknown>[] = [];
  #compacted = 1;

  constructor(clock: FakeClock, store: Store) {
    this.#clock = clock;
    this.#store = store;
  }

  async take(step: Step, text: string): Promise<void> {
    if (step.do === "settle") await this.settle();
    else if (step.do === "wait") await this.#clock.advance(step.ms);
    else if (step.do === "compact") this.#compact(this.#store.revision - step.back);
    else if (step.do === "watch") this.#watch(step.table, this.#store.revision - step.back, step.isSlow);
    else this.#write(step, text);
    for (const watch of this.#watches) if (!watch.isSlow) this.#read(watch);
  }

  /** Lets everything come to disk, and compares all that can be asked. */
  async settle(): Promise<void> {
    await Promise.all(this.#writing);
    this.#writing = [];
    const { revision } = this.#store;
    expect(revision).toBe(this.#happened.at(-1)?.revision ?? 1);
    for (const name of ["notes", "pods"]) {
      const table = this.#store.table(name);
      expect([...table.newestAll()]).toEqual(table.list().items);
      for (const namespace of [undefined, "a"]) {
        expect(table.list(namespace).revision).toBe(revision);
        expect(shown(table.list(namespace))).toEqual(this.#stateAt(revision, name, namespace));
        for (let old = revision; old >= 0 && old > revision - 15; old--) {
          this.#unlessForgotten(name, old, () =>
            expect(shown(table.listAt(old, namespace))).toEqual(this.#stateAt(old, name, namespace)),
          );
        }
      }
    }
    for (const watch of this.#watches) this.#read(watch);
  }

  #write(step: Step & { do: "put" | "remove" }, text: string): void {
    const table = this.#store.table(step.table);
    const key = `${step.namespace}/${step.name}`;
    const old = table.newest(key);
    if (step.do === "remove" && !old) return;
    const object = note(step.namespace, step.name, text);
    const revision = (this.#happened.at(-1)?.revision ?? 1) + 1;
    if (step.do === "remove" && old) {
      this.#happened.push({ table: step.table, key, revision, type: "DELETED", shown: show(old) });
      this.#writing.push(table.remove(key, old));
    } else {
      const type = old ? "MODIFIED" : "ADDED";
      this.#happened.push({ table: step.table, key, revision, type, shown: show(object) });
      this.#writing.push(table.put(object));
    }
    const newest = [...table.newestAll()].map(show).sort();
    expect(newest).toEqual(this.#stateAt(revision, step.table).sort());
  }

  #compact(revision: number): void {
    this.#store.compact(revision);
    this.#compacted = Math.max(this.#compacted, revision);
  }

  #watch(table: string, from: number, isSlow: boolean): void {
    this.#unlessForgotten(table, from, () => {
      this.#watches.add({ cursor: this.#store.table(table).watch(from), table, from, isSlow, seen: [] });
    });
  }

  #read(watch: Watch): void {
    const { cursor, table, from, seen } = watch;
    const { revision: now } = this.#store;
    const isForgotten = this.#unlessForgotten(table, cursor.reached, () => seen.push(...drain(cursor).map(showEvent)));
    if (isForgotten) return void this.#watches.delete(watch);
    const wanted = this.#happened.filter((event) => event.table === table && event.revision > from);
    expect(seen).toEqual(wanted.filter(({ revision }) => revision <= now).map(({ type, shown }) => `${type} ${shown}`));
    expect(cursor.reached).toBe(now);
  }

  /** What is forgotten was compacted, or more happened in the table since than is always kept. */
  #unlessForgotten(table: string, revision: number, ask: () => void): boolean {
    try {
      ask();
      return false;
    } catch (error) {
      if (!(error instanceof Compacted)) throw error;
      const since = this.#happened.filter((event) => event.table === table && event.revision > revision);
      expect(revision < this.#compacted || since.length > history.fewest).toBe(true);
      return true;
    }
  }

  #stateAt(revision: number, table: string, namespace?: string): string[] {
    const state = new Map<string, string>();
    for (const event of this.#happened) {
      if (event.table !== table || event.revision > revision) continue;
      if (event.type === "DELETED") state.delete(event.key);
      else state.set(event.key, event.shown);
    }
    return [...state]
      .filter(([key]) => !namespace || key.startsWith(`${namespace}/`))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, text]) => text);
  }
}

test("lists, old lists and watches are what really happened, in any order of steps", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: "max" }), async (steps) => {
      const clock = new FakeClock();
      await using store = await openStore({ file: ":memory:", clock, history });
      const run = new Run(clock, store);
      for (const [index, step] of steps.entries()) await run.take(step, String(index));
      await run.settle();
    }),
  );
});
