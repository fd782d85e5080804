import { StatusError } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { Controller, type ControllerOptions } from "./controller.ts";
import type { ReconcileMetrics } from "./metrics.ts";
import { TerminalError } from "./outcome.ts";
import type { Enqueue, Watch } from "./watches.ts";

/** A source of keys that the test speaks for. */
class Speaker implements Watch {
  readonly informers = [];
  enqueue: Enqueue = () => {};
  keys: string[] = [];

  start(enqueue: Enqueue) {
    this.enqueue = enqueue;
    return () => {
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
  const stop = new AbortController();
  const kill = new AbortController();
  const controller = new Controller(
    { name: "test", watches: [speaker], reconcile: async () => undefined, ...options },
    { clock, random: () => 0.5, metrics: countingMetrics(counts) },
  );
  const run = controller.run(stop.signal, kill.signal);
  await settle();
  return { clock, speaker, counts, stop, kill, run, controller };
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
      returns?: { requeueAfterMs: number };
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
      throws: () =>
        new StatusError({ apiVersion: "v1", kind: "Status", status: "Failure", code: 409, reason: "Conflict" }),
      wantCounts: { requeue: 1 },
      wantNextWithinMs: 200,
    },
    "fails, which is tried again": {
      throws: () => new Error("the network is down"),
      wantCounts: { error: 1 },
      wantNextWithinMs: 200,
    },
    "is told by the server when to return": {
      throws: () =>
        new StatusError({
          apiVersion: "v1",
          kind: "Status",
          status: "Failure",
          code: 429,
          details: { retryAfterSeconds: 4 },
        }),
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
    kill.abort(new Error("deadline"));
    await run;
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
