import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { sleep, systemClock } from "../clock.ts";
import { type Logger, silentLogger } from "../log.ts";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { refusal } from "../testing/refusal.ts";
import { Controller, type ControllerOptions } from "./controller.ts";
import type { ReconcileMetrics } from "./metrics.ts";
import { type Result, TerminalError } from "./outcome.ts";
import type { Enqueue, Watch } from "./watches.ts";

/** A source of keys that the test speaks for. */
class Speaker implements Watch {
  readonly informers = [];
  enqueue: Enqueue = () => {};
  keys: string[] = [];
  started = false;

  start(enqueue: Enqueue) {
    this.started = true;
    this.enqueue = enqueue;
    return () => {
      this.started = false;
      this.enqueue = () => {};
    };
  }

  all() {
    return this.keys;
  }
}

function countingMetrics(counts: Record<string, number>): ReconcileMetrics {
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  return {
    started: () => count("started"),
    finished: (result) => count(result),
    terminal: () => count("terminal"),
    panicked: () => count("panicked"),
    timedOut: () => count("timedOut"),
  };
}

async function start(options: Partial<ControllerOptions>) {
  const clock = new FakeClock();
  const speaker = new Speaker();
  const counts: Record<string, number> = {};
  const logged: string[] = [];
  const note = (_: object, message: string) => void logged.push(message);
  const log: Logger = { ...silentLogger, warn: note, error: note, child: () => log };
  const stop = new AbortController();
  const kill = new AbortController();
  const controller = new Controller(
    { name: "test", watches: [speaker], reconcile: async () => undefined, ...options },
    { clock, random: () => 0.5, metrics: countingMetrics(counts), log },
  );
  const run = controller.run(stop.signal, kill.signal);
  await settle();
  return { clock, speaker, counts, logged, stop, kill, run, controller };
}

describe("a controller", () => {
  test("reconciles each key that is named, and stops", async () => {
    const seen: string[] = [];
    const { speaker, stop, run, clock } = await start({
      reconcile: async (key) => {
        seen.push(key);
        return undefined;
      },
    });
    speaker.enqueue("a");
    speaker.enqueue("b");
    await settle();
    expect(seen).toEqual(["a", "b"]);
    stop.abort();
    await run;
    expect(clock.timers).toBe(0);
  });

  test("works on several keys at once, never on one key twice at once, and on no more than its workers", async () => {
    let running = 0;
    let most = 0;
    const { speaker, clock, stop, run } = await start({
      workers: 2,
      reconcile: async () => {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => void clockOf().setTimer(100, resolve));
        running--;
        return undefined;
      },
    });
    const clockOf = () => clock;
    for (const key of ["a", "b", "c", "a"]) speaker.enqueue(key);
    await clock.advance(1000);
    expect([most, running]).toEqual([2, 0]);
    stop.abort();
    await run;
  });

  const outcomes: Record<
    string,
    {
      throws?: () => unknown;
      returns?: Result;
      wantCounts: object;
      wantNextWithinMs: number | "never";
    }
  > = {
    "asks to look again": {
      returns: { requeueAfterMs: 7000 },
      wantCounts: { requeue_after: 1 },
      wantNextWithinMs: 7000,
    },
    "meets a conflict, which is tried again without being counted as an error": {
      throws: () => refusal(409),
      wantCounts: { requeue: 1 },
      wantNextWithinMs: 200,
    },
    "fails, which is tried again": {
      throws: () => new Error("the network is down"),
      wantCounts: { error: 1 },
      wantNextWithinMs: 200,
    },
    "is told by the server when to return": {
      throws: () => refusal(429, { details: { retryAfterSeconds: 4 } }),
      wantCounts: { error: 1 },
      wantNextWithinMs: 4000,
    },
    "cannot succeed, which is not tried again": {
      throws: () => new TerminalError("the challenge has no containers"),
      wantCounts: { error: 1, terminal: 1 },
      wantNextWithinMs: "never",
    },
    "is broken, which is counted as a panic and tried again": {
      throws: () => new TypeError("x is undefined"),
      wantCounts: { error: 1, panicked: 1 },
      wantNextWithinMs: 200,
    },
    "asks to look again at no time that there is": {
      returns: { requeueAfterMs: Number.NaN },
      wantCounts: { error: 1, panicked: 1 },
      wantNextWithinMs: 200,
    },
    "asks to look again with no priority that there is": {
      returns: { requeueAfterMs: 7000, priority: Number.NaN },
      wantCounts: { error: 1, panicked: 1 },
      wantNextWithinMs: 200,
    },
    "throws something that is no error": {
      throws: () => "a string",
      wantCounts: { error: 1, panicked: 1 },
      wantNextWithinMs: 200,
    },
  };
  for (const [name, { throws, returns, wantCounts, wantNextWithinMs }] of Object.entries(outcomes)) {
    test(`goes on when a reconcile ${name}`, async () => {
      const seen: string[] = [];
      const { speaker, counts, clock, stop, run } = await start({
        resyncMs: 1e9,
        reconcile: async (key) => {
          seen.push(key);
          if (seen.length > 1) return undefined;
          if (throws) throw throws();
          return returns;
        },
      });
      speaker.enqueue("a");
      await settle();
      expect(counts).toEqual({ started: 1, ...wantCounts });
      if (wantNextWithinMs === "never") {
        await clock.advance(3_600_000);
        expect(seen).toEqual(["a"]);
      } else {
        await clock.advance(wantNextWithinMs / 2 - 1);
        expect(seen).toEqual(["a"]);
        await clock.advance(wantNextWithinMs / 2 + 1);
        expect(seen).toEqual(["a", "a"]);
      }
      speaker.enqueue("b");
      await settle();
      expect(seen.at(-1)).toBe("b");
      stop.abort();
      await run;
    });
  }

  test.each([
    { name: "writes about its failure each time", error: () => new Error("refused") },
    { name: "is told to come back in a second", error: () => refusal(429, { details: { retryAfterSeconds: 1 } }) },
  ])("tries a key that fails and $name no more than once in 5 s after ten failures", async ({ error }) => {
    const at: number[] = [];
    const { speaker, clock, stop, run } = await start({
      reconcile: async (key) => {
        at.push(clock.monotonic());
        // What it wrote comes back as an event, before it has failed and afterwards.
        speaker.enqueue(key);
        clock.setTimer(1, () => speaker.enqueue(key));
        throw error();
      },
    });
    speaker.enqueue("a");
    await clock.advance(600_000);
    expect(at.length).toBeGreaterThan(60);
    const gaps = at.slice(10).map((time, i) => time - (at[i + 9] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5000);
    stop.abort();
    await run;
  });

  test("aborts a reconcile that takes too long, and tries it again", async () => {
    const reasons: string[] = [];
    const { speaker, counts, clock, stop, run } = await start({
      timeoutMs: 1000,
      reconcile: (_, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason.message);
            reject(signal.reason);
          }),
        ),
    });
    speaker.enqueue("a");
    await clock.advance(1000);
    expect(counts).toMatchObject({ timedOut: 1, error: 1 });
    expect(reasons).toEqual(["the reconcile took longer than 1 s"]);
    await clock.advance(1200);
    expect(counts.timedOut).toBe(2);
    stop.abort();
    await clock.advance(1000);
    await run;
  });

  test("goes on without a reconcile that ignores its limit, and never gives that key to another", async () => {
    const seen: string[] = [];
    const { speaker, clock, stop, kill, run } = await start({
      workers: 1,
      atOnce: () => ({ ordinary: 1, leisurely: 1 }),
      timeoutMs: 1000,
      reconcile: async (key) => {
        seen.push(key);
        if (key === "stuck") await new Promise(() => {});
        return undefined;
      },
    });
    speaker.enqueue("stuck");
    await clock.advance(10_000);
    speaker.enqueue("good");
    speaker.enqueue("stuck");
    await clock.advance(10_000);
    expect(seen).toEqual(["stuck", "good"]);
    stop.abort();
    await clock.advance(60_000);
    kill.abort(new Error("deadline"));
    await run;
    expect(clock.timers).toBe(0);
  });

  test("ends what is under way when killed: no error, no noise, no retry, no timer left, whether it listens or not", async () => {
    const ended: string[] = [];
    const { speaker, counts, logged, clock, kill, run, controller } = await start({
      reconcile: async (key, { signal }) => {
        if (key === "deaf") await new Promise(() => {});
        await sleep(clockOf(), 30_000, signal).catch((error) => {
          ended.push(`${key}: ${error.message}`);
          throw error;
        });
        return undefined;
      },
    });
    const clockOf = () => clock;
    for (const key of ["a", "deaf", "b"]) speaker.enqueue(key);
    await clock.advance(1000);
    kill.abort(new Error("leadership is lost"));
    await run;
    await settle();
    expect(ended).toEqual(["a: leadership is lost", "b: leadership is lost"]);
    expect(counts).toEqual({ started: 3, requeue: 2 });
    expect(logged).toEqual([]);
    expect(clock.timers).toBe(0);
    expect(getEventListeners(kill.signal, "abort").length).toBeLessThanOrEqual(1);
    expect(await controller.queue.get()).toBeUndefined();
  });

  test("works again on a key that is named while it is worked on", async () => {
    const seen: string[] = [];
    const { speaker, clock, stop, run } = await start({
      reconcile: async (key) => {
        seen.push(`${key} ${value}`);
        await sleep(clockOf(), 100);
        return undefined;
      },
    });
    const clockOf = () => clock;
    let value = 1;
    speaker.enqueue("a");
    await clock.advance(50);
    value = 2;
    speaker.enqueue("a");
    speaker.enqueue("a");
    await clock.advance(500);
    expect(seen).toEqual(["a 1", "a 2"]);
    stop.abort();
    await run;
  });

  test("bears a reconcile that throws before its first await", async () => {
    const { speaker, counts, logged, stop, run } = await start({
      reconcile: () => {
        throw new TypeError("x is undefined");
      },
    });
    speaker.enqueue("a");
    await settle();
    expect(counts).toMatchObject({ started: 1, error: 1, panicked: 1 });
    expect(logged).toEqual(["reconcile is broken"]);
    stop.abort();
    await run;
  });

  test("lets timers and sockets have their turn between reconciles that wait for nothing", async () => {
    let reconciles = 0;
    const speaker = new Speaker();
    const controller = new Controller(
      {
        name: "eager",
        watches: [speaker],
        reconcile: async () => {
          if (++reconciles > 1_000_000) return undefined;
          return { requeueAfterMs: 0 };
        },
      },
      { clock: systemClock },
    );
    const stop = new AbortController();
    const run = controller.run(stop.signal, new AbortController().signal);
    speaker.enqueue("a");
    await new Promise((resolve) => setTimeout(resolve, 100));
    stop.abort();
    await run;
    expect(reconciles).toBeGreaterThan(100);
    expect(reconciles).toBeLessThan(1_000_000);
  });

  test("keeps nothing of a reconcile that is over, not even what it left on its signal", async () => {
    const signals: WeakRef<AbortSignal>[] = [];
    const { speaker, kill, stop, run } = await start({
      reconcile: async (_, { signal }) => {
        signals.push(new WeakRef(signal));
        signal.addEventListener("abort", () => {});
        return undefined;
      },
    });
    for (let turn = 0; turn < 100; turn++) {
      for (let key = 0; key < 10; key++) speaker.enqueue(`${key}`);
      await settle();
    }
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    expect(signals).toHaveLength(1000);
    expect(signals.filter((signal) => signal.deref()).length).toBeLessThan(20);
    expect(getEventListeners(kill.signal, "abort").length).toBeLessThan(20);
    stop.abort();
    await run;
  });

  test("fails as a whole where a watch cannot be started, and leaves the others", async () => {
    const first = new Speaker();
    const second = new Speaker();
    second.start = () => {
      throw new Error("no such index");
    };
    const controller = new Controller({ name: "test", watches: [first, second], reconcile: async () => undefined });
    const { signal } = new AbortController();
    await expect(controller.run(signal, signal)).rejects.toThrow("no such index");
    expect(first.started).toBe(false);
  });

  test("fails as a whole by a mistake of its own, rather than with a worker less", async () => {
    const speaker = new Speaker();
    const metrics = countingMetrics({});
    metrics.finished = () => {
      throw new Error("no such label");
    };
    const controller = new Controller(
      { name: "test", watches: [speaker], reconcile: async () => undefined },
      { clock: new FakeClock(), metrics },
    );
    const { signal } = new AbortController();
    const run = controller.run(signal, signal);
    speaker.enqueue("a");
    await expect(run).rejects.toThrow("no such label");
  });

  test.each([0, -1, Number.NaN])("refuses to have %d workers, which would do nothing without a word", (workers) => {
    const options = { name: "test", watches: [], reconcile: async () => undefined, workers };
    expect(() => new Controller(options)).toThrow(`cannot run the controller "test" with ${workers} workers`);
  });

  test("lets reconciles under way finish when told to stop, and begins no other", async () => {
    const seen: string[] = [];
    const { speaker, clock, stop, run } = await start({
      workers: 1,
      reconcile: async (key, { signal }) => {
        await new Promise<void>((resolve) => void timerClock().setTimer(500, resolve));
        seen.push(`${key} ${signal.aborted}`);
        return undefined;
      },
    });
    const timerClock = () => clock;
    speaker.enqueue("a");
    speaker.enqueue("b");
    await settle();
    stop.abort();
    await clock.advance(500);
    await run;
    expect(seen).toEqual(["a false"]);
  });

  test("looks at everything again every ten minutes, after everything that has a cause", async () => {
    const seen: string[] = [];
    const { speaker, clock, stop, run } = await start({
      reconcile: async (key) => {
        seen.push(key);
        return undefined;
      },
    });
    speaker.keys = ["a", "b"];
    await clock.advance(629_000);
    expect(seen).toEqual([]);
    await clock.advance(2_000);
    expect(seen).toEqual(["a", "b"]);
    stop.abort();
    await run;
  });
});

describe("where the wall clock moves without the timers", () => {
  const dueIn = 3_600_000;
  async function waiting() {
    const at: number[] = [];
    const started = await start({
      reconcile: async () => {
        const { clock } = started;
        at.push(clock.now());
        return clock.now() < end ? { requeueAfterMs: end - clock.now() } : undefined;
      },
    });
    const end = started.clock.now() + dueIn;
    started.speaker.keys = ["a"];
    started.speaker.enqueue("a");
    await settle();
    return { ...started, at, end };
  }

  test("as on a laptop that slept, everything is looked at within seconds: what fell due meanwhile does not wait", async () => {
    const { clock, at, end, stop, run } = await waiting();
    await clock.advance(60_000);
    clock.jumpWall(2 * dueIn);
    await clock.advance(5000);
    expect(at).toHaveLength(2);
    expect(at[1]).toBeGreaterThan(end);
    await clock.advance(60_000);
    expect(at).toHaveLength(2);
    stop.abort();
    await run;
    expect(clock.timers).toBe(0);
  });

  test("also where it only goes back to what it was", async () => {
    const { clock, at, speaker, stop, run } = await waiting();
    clock.jumpWall(-dueIn);
    await clock.advance(5000);
    expect(at).toHaveLength(1);
    speaker.enqueue("a");
    await clock.advance(5000);
    clock.jumpWall(dueIn);
    await clock.advance(5000);
    expect(at).toHaveLength(3);
    stop.abort();
    await run;
  });

  test("by no more than any clock does, nothing is looked at", async () => {
    const { clock, at, stop, run } = await waiting();
    for (let second = 0; second < 300; second++) {
      clock.jumpWall(second % 2 ? 50 : -40);
      await clock.advance(1000);
    }
    expect(at).toHaveLength(1);
    stop.abort();
    await run;
  });
});
