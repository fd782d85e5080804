/** Laws of the lines, over random histories of pods, with looks that take their time and fail. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Stored } from "@berg/apimachinery";
import { type Change, Controller, type ControllerOptions, type Informer, type Pod } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makePod } from "../testing/objects.ts";
import { lineOf } from "./line-of.ts";
import { addLines, type LookAtPod } from "./lines.ts";

/** Stands for an informer: no server is needed to tell of changes. */
class KnownPods {
  readonly #pods = new Map<string, Stored<Pod>>();
  readonly #handlers = new Set<(change: Change<Pod>) => void>();
  readonly hasSynced = true;
  ensureIndex(): void {}
  async synced(): Promise<void> {}
  list(): Stored<Pod>[] {
    return [...this.#pods.values()];
  }
  byIndex(_: string, uid: string): Stored<Pod>[] {
    const pod = this.#pods.get(uid);
    return pod ? [pod] : [];
  }
  onChange(handler: (change: Change<Pod>) => void): () => void {
    this.#handlers.add(handler);
    for (const object of this.list()) handler({ type: "added", object });
    return () => this.#handlers.delete(handler);
  }
  put(uid: string, version: number): void {
    const object = makePod({}, { uid, name: uid });
    object.metadata.resourceVersion = String(version);
    this.#pods.set(uid, object);
    for (const handler of this.#handlers) handler({ type: "added", object });
  }
  remove(uid: string): void {
    const object = this.#pods.get(uid);
    if (!object) return;
    this.#pods.delete(uid);
    for (const handler of this.#handlers) handler({ type: "deleted", object });
  }
}

function startLines(count: number, look: LookAtPod) {
  const clock = new FakeClock();
  const pods = new KnownPods();
  const controllers: Controller[] = [];
  const manager = {
    addController(options: ControllerOptions) {
      const controller = new Controller(options, { clock, random: () => 0.5 });
      controllers.push(controller);
      return controller;
    },
  };
  const lines = addLines(manager, pods as unknown as Informer<Pod>, count, look);
  const stop = new AbortController();
  const runs = controllers.map((controller) => controller.run(stop.signal, stop.signal));
  return {
    clock,
    pods,
    lines,
    async stop() {
      stop.abort();
      await Promise.all(runs);
    },
  };
}

const goneVersion = 1_000_000;
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("change" as const), pod: fc.nat(7) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), pod: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("turn" as const), pod: fc.constant(0) }) },
);

test("looks at a pod never cross, never go back, and end with its last state; a deletion is never missed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.nat(3), { minLength: 1, maxLength: 10 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
      async (steps, count, turns, fails) => {
        const busy = new Set<number>();
        const crossed: string[] = [];
        const seen = new Map<string, number[]>();
        let looks = 0;
        const running = startLines(count, async (uid, pod) => {
          const mine = looks++;
          const line = lineOf(uid, count);
          // Not an assertion here: a look that throws is simply repeated.
          if (busy.has(line)) crossed.push(uid);
          busy.add(line);
          for (let turn = 0; turn < (turns[mine % turns.length] ?? 0); turn++) await nextTurn();
          busy.delete(line);
          if (mine < 8 && fails[mine % fails.length]) throw new Error("not now");
          seen.set(uid, [...(seen.get(uid) ?? []), pod ? Number(pod.metadata.resourceVersion) : goneVersion]);
          return undefined;
        });
        const last = new Map<string, number>();
        let version = 1;
        let lives = 0;
        const uidOf = new Map<number, string>();
        for (const { do: what, pod } of steps) {
          if (what === "turn") {
            await nextTurn();
            continue;
          }
          const uid = uidOf.get(pod) ?? `pod-${pod}-${lives++}`;
          if (what === "change") {
            uidOf.set(pod, uid);
            running.pods.put(uid, version);
            last.set(uid, version++);
          } else if (uidOf.delete(pod)) {
            running.pods.remove(uid);
            last.set(uid, goneVersion);
          }
        }
        for (let i = 0; i < 40; i++) {
          await running.clock.advance(10_000);
          for (let turn = 0; turn < 8; turn++) await nextTurn();
        }
        await running.stop();
        expect(crossed).toEqual([]);
        for (const [uid, final] of last) {
          const versions = seen.get(uid) ?? [];
          expect(versions.at(-1)).toBe(final);
          expect(versions).toEqual(versions.toSorted((a, b) => a - b));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("one that always fails does not hold the others of its line", async () => {
  const seen: string[] = [];
  const running = startLines(1, async (uid) => {
    if (uid === "bad") throw new Error("never");
    seen.push(uid);
    return undefined;
  });
  running.pods.put("bad", 1);
  for (const uid of ["a", "b", "c"]) running.pods.put(uid, 1);
  await running.clock.advance(0);
  running.pods.put("a", 2);
  await running.clock.advance(0);
  await running.stop();
  expect(seen).toEqual(["a", "b", "c", "a"]);
});

test("a look can be asked for without a change", async () => {
  const seen: (string | undefined)[] = [];
  const running = startLines(3, async (_, pod) => {
    seen.push(pod?.metadata.name);
    return undefined;
  });
  running.pods.put("a", 1);
  await running.clock.advance(0);
  running.lines.add("a");
  running.lines.add("never-seen");
  await running.clock.advance(0);
  await running.stop();
  expect(seen.toSorted()).toEqual(["a", "a", undefined]);
});
