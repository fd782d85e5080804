import fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import type { AtOnce } from "./room.ts";
import { WorkQueue } from "./work-queue.ts";

const maxBypass = 2;

interface Waiting {
  key: string;
  priority: number;
}

/** The queue as one would write it with no thought of speed: plain lists, searched from end to end. */
class Model {
  now = 0;
  /** By age. */
  waiting: Waiting[] = [];
  delayed: (Waiting & { due: number })[] = [];
  /** Key to the priority with which it comes again, if it was added meanwhile. */
  processing = new Map<string, number | undefined>();
  idleWorkers = 0;
  handedOut: string[] = [];
  bypasses = 0;
  /** Priorities of what is in workers' hands, by key. */
  readonly inHand = new Map<string, number>();
  readonly atOnce: AtOnce;

  constructor(atOnce: AtOnce) {
    this.atOnce = atOnce;
  }

  add(key: string, priority: number): void {
    if (this.processing.has(key)) {
      this.processing.set(key, Math.max(this.processing.get(key) ?? priority, priority));
      return;
    }
    const known = this.waiting.find((each) => each.key === key);
    if (known && known.priority >= priority) return;
    this.waiting = [...this.waiting.filter((each) => each !== known), { key, priority }];
    this.serve();
  }

  addAfter(key: string, delay: number, priority: number): void {
    if (delay <= 0) {
      this.add(key, priority);
      return;
    }
    const due = this.now + delay;
    const known = this.delayed.filter((each) => each.key === key);
    if (known.some((each) => each.due <= due && each.priority >= priority)) return;
    const needless = known.filter((each) => each.due >= due && each.priority <= priority);
    const others = this.delayed.filter((each) => !needless.includes(each));
    this.delayed = [...others, { key, due, priority }].sort((a, b) => a.due - b.due);
  }

  get(): void {
    this.idleWorkers++;
    this.serve();
  }

  done(key: string): void {
    const again = this.processing.get(key);
    this.processing.delete(key);
    this.inHand.delete(key);
    if (again !== undefined) this.add(key, again);
    this.serve();
  }

  advance(ms: number): void {
    this.now += ms;
    for (let first = this.delayed[0]; first && first.due <= this.now; first = this.delayed[0]) {
      this.delayed.shift();
      this.add(first.key, first.priority);
    }
  }

  get depth(): number {
    return this.waiting.length + [...this.processing.values()].filter((again) => again !== undefined).length;
  }

  hasRoom(priority: number): boolean {
    const like = [...this.inHand.values()].filter((each) => Math.sign(each) === Math.sign(priority)).length;
    if (priority > 0) return true;
    return like < (priority < 0 ? this.atOnce.leisurely : this.atOnce.ordinary);
  }

  /** What there is room for, by age. */
  get ready(): Waiting[] {
    return this.waiting.filter(({ priority }) => this.hasRoom(priority));
  }

  serve(): void {
    for (let { ready } = this; this.idleWorkers > 0 && ready.length > 0; { ready } = this) {
      const best = Math.max(...ready.map((each) => each.priority));
      const highest = ready.findIndex((each) => each.priority === best);
      const turn = this.bypasses < maxBypass ? highest : 0;
      const taken = ready[turn] as Waiting;
      if (turn > 0) this.bypasses++;
      else if (taken === this.waiting[0] || turn !== highest) this.bypasses = 0;
      this.waiting = this.waiting.filter((each) => each !== taken);
      this.processing.set(taken.key, undefined);
      this.inHand.set(taken.key, taken.priority);
      this.handedOut.push(taken.key);
      this.idleWorkers--;
    }
  }
}

const key = fc.constantFrom("a", "b", "c", "d", "e", "f");
const priority = fc.constantFrom(-100, 0, 0, 10);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("add" as const), key, priority }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("addAfter" as const),
      key,
      priority,
      delay: fc.integer({ min: -1, max: 50 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("get" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("get and abort" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("done" as const), which: fc.nat(10) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.integer({ min: 0, max: 30 }) }) },
);

test.each([
  { ordinary: 1, leisurely: 1 },
  { ordinary: 2, leisurely: 1 },
  { ordinary: 1, leisurely: 2 },
  { ordinary: 100, leisurely: 100 },
])(
  "with $ordinary ordinary and $leisurely leisurely ones at once, the same keys go in the same order as in the model",
  async (most) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80, size: "max" }), async (steps) => {
        const clock = new FakeClock();
        const queue = new WorkQueue({ clock, random: () => 0.5, maxBypass, atOnce: () => most });
        const model = new Model(most);
        const handedOut: string[] = [];
        const inHand = new Set<string>();
        const get = (signal?: AbortSignal) =>
          queue.get(signal).then(
            (taken) => {
              if (!taken) return;
              expect(inHand.has(taken.key)).toBe(false);
              inHand.add(taken.key);
              handedOut.push(taken.key);
            },
            () => {},
          );
        const gets: Promise<void>[] = [];
        const finish = (key: string) => {
          inHand.delete(key);
          queue.done(key);
          model.done(key);
        };
        for (const step of steps) {
          switch (step.do) {
            case "add":
              queue.add(step.key, { priority: step.priority });
              model.add(step.key, step.priority);
              break;
            case "addAfter":
              queue.addAfter(step.key, step.delay, { priority: step.priority });
              model.addAfter(step.key, step.delay, step.priority);
              break;
            case "get":
              gets.push(get());
              model.get();
              break;
            case "get and abort": {
              const abort = new AbortController();
              gets.push(get(abort.signal));
              abort.abort();
              if (model.ready.length > 0) model.get();
              break;
            }
            case "done": {
              const key = [...inHand][step.which % Math.max(1, inHand.size)];
              if (key) finish(key);
              break;
            }
            case "advance":
              model.advance(step.ms);
              await clock.advance(step.ms);
          }
          await settle();
          expect(handedOut).toEqual(model.handedOut);
          expect(queue.depth).toBe(model.depth);
          // Where some have to wait, one more: it asks again whether they still do.
          const asking = clock.timers - (model.delayed.length > 0 ? 1 : 0);
          expect(most.ordinary === 100 ? [0] : [0, 1]).toContain(asking);
        }
        // Nothing is lost: with workers enough and time enough every key comes out.
        model.advance(1000);
        await clock.advance(1000);
        while (inHand.size > 0 || queue.depth > 0) {
          for (const key of [...inHand]) finish(key);
          if (queue.depth > 0) {
            gets.push(get());
            model.get();
          }
          await settle();
        }
        expect(handedOut).toEqual(model.handedOut);
        expect({ waiting: model.waiting, delayed: model.delayed }).toEqual({ waiting: [], delayed: [] });
        await queue.drain();
        await Promise.all(gets);
        expect(clock.timers).toBe(0);
      }),
      { numRuns: 200 },
    );
  },
);
