/** Informer and controller together, whatever happens: nothing that changed stays unseen, and no key is worked on twice. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Informer } from "../cache/informer.ts";
import { sleep } from "../clock.ts";
import { type ConfigMap, ConfigMaps } from "../kinds.ts";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { FakeServer } from "../testing/fake-server.ts";
import { refusal } from "../testing/refusal.ts";
import { Controller, type ControllerOptions } from "./controller.ts";
import { TerminalError } from "./outcome.ts";
import { watchSelf } from "./watches.ts";

const names = ["a", "b", "c", "d"] as const;
const steps = {
  put: (server: FakeServer, name: string, value: string) => server.put(name, { value }),
  remove: (server: FakeServer, name: string) => server.remove(name),
  recreate: (server: FakeServer, name: string, value: string) => {
    server.remove(name);
    server.put(name, { value });
  },
  end: (server: FakeServer) => server.endWatches(),
  cut: (server: FakeServer) => server.cutWatches(),
  garble: (server: FakeServer) => server.garbleWatches(),
  freeze: (server: FakeServer) => server.freezeWatches(),
  forget: (server: FakeServer) => {
    server.compact();
    server.cutWatches();
  },
  goDown: (server: FakeServer) => {
    server.down = true;
    server.cutWatches();
  },
  comeUp: (server: FakeServer) => {
    server.down = false;
  },
};
const changes = ["put", "put", "put", "remove", "recreate"] as const;
const faults = ["end", "cut", "garble", "freeze", "forget", "goDown", "comeUp"] as const;

const step = fc.record({
  what: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...changes) }, fc.constantFrom(...faults)),
  name: fc.constantFrom(...names),
  // Often at once: the interesting orders are those within one turn.
  thenMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1_000, max: 200_000 })),
});
/** How one reconcile goes: how long it takes, and how it ends. */
const course = fc.record({
  takesMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_000 })),
  ends: fc.constantFrom("well", "well", "well", "error", "conflict", "panic", "again", "terminal", "never"),
});

interface World {
  readonly clock: FakeClock;
  readonly courses: Iterator<{ takesMs: number; ends: string }>;
  readonly informer: Informer<ConfigMap>;
  calm: boolean;
  /** What the last reconcile of each key that went well saw as it began. */
  readonly seen: Map<string, string>;
  readonly running: Set<string>;
  overlaps: number;
}

function reconcilerOf(world: World): ControllerOptions["reconcile"] {
  return async (key, { signal }) => {
    if (world.running.has(key)) world.overlaps++;
    world.running.add(key);
    const saw = stateOf(world.informer.get(key));
    try {
      const { takesMs, ends } = world.calm ? { takesMs: 0, ends: "well" } : world.courses.next().value;
      if (takesMs > 0) await sleep(world.clock, takesMs, signal);
      if (ends === "never") await sleep(world.clock, 1e9, signal);
      if (ends === "error") throw new Error("the network is down");
      if (ends === "conflict") throw refusal(409, { reason: "Conflict" });
      if (ends === "panic") throw new TypeError("x is undefined");
      world.seen.set(key, saw);
      if (ends === "terminal") throw new TerminalError("it has no containers");
      return ends === "again" ? { requeueAfterMs: 5_000 } : undefined;
    } finally {
      world.running.delete(key);
    }
  };
}

function stateOf(object: { metadata: { uid?: string }; data?: Record<string, string> } | undefined): string {
  return object ? `${object.metadata.uid} ${object.data?.value}` : "gone";
}

test("every key is reconciled after its last change, and never twice at once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 30, size: "max" }),
      fc.infiniteStream(course),
      fc.boolean(),
      async (story, courses, streamsLists) => {
        const clock = new FakeClock();
        const server = new FakeServer();
        server.streamsLists = streamsLists;
        server.put("a", { value: "before" });
        const random = () => 0.5;
        const informer = new Informer<ConfigMap>({ client: server.client, type: ConfigMaps, clock, random });
        const world: World = {
          clock,
          courses,
          informer,
          calm: false,
          seen: new Map(),
          running: new Set(),
          overlaps: 0,
        };
        const controller = new Controller(
          {
            name: "test",
            watches: [watchSelf(informer)],
            workers: 2,
            timeoutMs: 10_000,
            resyncMs: 1e9,
            reconcile: reconcilerOf(world),
          },
          { clock, random },
        );
        const stop = new AbortController();
        const runs = [informer.run(stop.signal), controller.run(stop.signal, new AbortController().signal)];

        const touched = new Set(["a"]);
        for (const [index, { what, name, thenMs }] of story.entries()) {
          steps[what](server, name, `value ${index}`);
          if ((changes as readonly string[]).includes(what)) touched.add(name);
          if (thenMs > 0) await clock.advance(thenMs);
        }
        world.calm = true;
        server.down = false;
        // Long enough for a half-open watch to be found, for the longest wait before the next, and for every backoff.
        await clock.advance(90_000 + 30_000 + 600_000);

        for (const name of touched) {
          const want = stateOf(server.objects.get(name));
          const got = world.seen.get(`default/${name}`) ?? "gone";
          expect(`${name}: ${got}`).toBe(`${name}: ${want}`);
        }
        expect(world.overlaps).toBe(0);
        expect(informer.list().map(stateOf).sort()).toEqual([...server.objects.values()].map(stateOf).sort());
        expect([controller.queue.depth, world.running.size]).toEqual([0, 0]);

        stop.abort();
        await Promise.all(runs);
        await settle();
        expect([clock.timers, server.watches]).toEqual([0, 0]);
      },
    ),
    { numRuns: 150 },
  );
});
