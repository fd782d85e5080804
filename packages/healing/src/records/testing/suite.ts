/** What every place to keep records holds to: each behaviour by itself, then against the model. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Life, RuntimeRecords } from "../runtime-records.ts";
import { anyCall, asSeen, type Call, make } from "./calls.ts";
import { Model } from "./model.ts";
import { type Place, startedAt } from "./place.ts";

export function recordsSuite(startPlace: () => Promise<Place>, { runs }: { runs: number }): void {
  let place: Place;
  let records: RuntimeRecords;
  let others: RuntimeRecords;
  const at = (seconds: number) => startedAt + seconds * 1000;
  const uids = (list: { uid: string }[]) => list.map(({ uid }) => uid).sort();

  beforeAll(async () => {
    place = await startPlace();
    records = await place.open();
    others = await place.open();
  });

  afterAll(async () => {
    await others?.[Symbol.asyncDispose]();
    await records?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  /** A life that is recorded. */
  async function opened(more: Partial<Life> = {}): Promise<Life> {
    const life = { ...(await place.newLife()), ...more };
    await records.live(life);
    return life;
  }

  describe("a life that is noted", () => {
    test("has a record, with all that is known of it", async () => {
      const life = await opened({ reservedUntil: at(60) + 123 });
      expect(await records.get(life.uid)).toEqual({ ...life, pods: {} });
      expect(await records.live(life)).toBe(true);
      expect(uids(await records.open())).toContain(life.uid);
    });

    test("changes its status, and its reservation", async () => {
      const life = await opened({ reservedUntil: at(60) });
      await records.live(asSeen(life, { status: "RUNNING", reservedUntil: at(120) }));
      expect(await records.get(life.uid)).toMatchObject({ status: "RUNNING", reservedUntil: at(120) });
      await records.live(asSeen(life, { status: "STARTING", reservedUntil: at(120) }));
      expect(await records.get(life.uid)).toMatchObject({ status: "STARTING", reservedUntil: at(120) });
    });

    test("gives up a reservation that is left out", async () => {
      const { reservedUntil: _until, ...life } = await opened({ reservedUntil: at(60) });
      await records.live(life);
      expect(await records.get(life.uid)).toEqual({ ...life, pods: {} });
    });

    test("keeps its pods", async () => {
      const life = await opened();
      await records.pod(life.uid, "web", { uid: "pod-1", restarts: 2 });
      await records.live({ ...life, status: "RUNNING" });
      expect((await records.get(life.uid))?.pods).toEqual({ web: { uid: "pod-1", restarts: 2, replaced: 0 } });
    });
  });

  describe("a container", () => {
    test("has the restarts that were seen last, and counts the pods that it had before", async () => {
      const { uid } = await opened();
      const seen = [
        { uid: "pod-1", restarts: 0, want: { restarts: 0, replaced: 0 } },
        { uid: "pod-1", restarts: 3, want: { restarts: 3, replaced: 0 } },
        { uid: "pod-2", restarts: 0, want: { restarts: 0, replaced: 1 } },
        { uid: "pod-2", restarts: 0, want: { restarts: 0, replaced: 1 } },
        { uid: "pod-3", restarts: 1, want: { restarts: 1, replaced: 2 } },
      ];
      for (const { want, ...pod } of seen) {
        await records.pod(uid, "web", pod);
        expect((await records.get(uid))?.pods).toEqual({ web: { uid: pod.uid, ...want } });
      }
    });

    test("is not lost when many are noted at once, by two processes", async () => {
      const { uid } = await opened();
      await place.allSeen();
      const names = Array.from({ length: 12 }, (_, index) => `container-${index}`);
      const note = (name: string, index: number) =>
        (index % 2 ? records : others).pod(uid, name, { uid: `pod-${name}`, restarts: index });
      await Promise.all(names.map(note));
      await place.allSeen();
      const want = names.map((name, restarts) => [name, { uid: `pod-${name}`, restarts, replaced: 0 }]);
      expect((await records.get(uid))?.pods).toEqual(Object.fromEntries(want));
    });

    test("of an instance without a record is not noted", async () => {
      const { uid } = await place.newLife();
      await records.pod(uid, "web", { uid: "pod-1", restarts: 0 });
      expect(await records.get(uid)).toBeUndefined();
    });
  });

  describe("a stopped record", () => {
    test("has its time, holds no place, and is not open", async () => {
      const life = await opened({ status: "RUNNING", reservedUntil: at(60) });
      await records.pod(life.uid, "web", { uid: "pod-1", restarts: 0 });
      expect(await records.stop(life.uid, at(30) + 7)).toBe(true);
      const { reservedUntil: _until, ...rest } = life;
      const pods = { web: { uid: "pod-1", restarts: 0, replaced: 0 } };
      expect(await records.get(life.uid)).toEqual({ ...rest, status: "STOPPED", stoppedAt: at(30) + 7, pods });
      expect(uids(await records.open())).not.toContain(life.uid);
    });

    test("stays as it is, whatever is stopped or noted of its pods after", async () => {
      const life = await opened();
      await records.stop(life.uid, at(30));
      const before = await records.get(life.uid);
      expect(await records.stop(life.uid, at(20))).toBe(false);
      await records.pod(life.uid, "web", { uid: "pod-1", restarts: 0 });
      expect(await records.get(life.uid)).toEqual(before);
    });

    test("is open again when it lives again, goes on with its pods, and can be stopped again", async () => {
      const life = await opened({ status: "RUNNING", reservedUntil: at(60) });
      await records.pod(life.uid, "web", { uid: "pod-1", restarts: 2 });
      await records.stop(life.uid, at(30));
      const again = asSeen(life, { status: "STARTING", reservedUntil: at(90) });
      expect(await records.live(again)).toBe(true);
      await records.pod(life.uid, "web", { uid: "pod-2", restarts: 0 });
      const pods = { web: { uid: "pod-2", restarts: 0, replaced: 1 } };
      expect(await records.get(life.uid)).toEqual({ ...again, pods });
      expect(uids(await records.open())).toContain(life.uid);
      expect(await records.stop(life.uid, at(50))).toBe(true);
      expect(await records.get(life.uid)).toMatchObject({ status: "STOPPED", stoppedAt: at(50) });
    });

    test("was stopped by one of all who tried at once, at that one's time", async () => {
      const { uid } = await opened();
      await place.allSeen();
      const times = Array.from({ length: 8 }, (_, index) => at(index + 1));
      const stops = times.map((time, index) => (index % 2 ? records : others).stop(uid, time));
      const won = (await Promise.all(stops)).flatMap((hasWon, index) => (hasWon ? [times[index]] : []));
      await place.allSeen();
      expect(won).toHaveLength(1);
      expect((await records.get(uid))?.stoppedAt).toBe(won[0]);
    });
  });

  test("nobody knows what was never noted", async () => {
    expect(await records.get("nobody")).toBeUndefined();
    expect(await records.stop("nobody", at(1))).toBe(false);
    await records.pod("nobody", "web", { uid: "pod-1", restarts: 0 });
    expect(await records.get("nobody")).toBeUndefined();
  });

  test("who gives up is told why, and nothing is written", async () => {
    const life = await opened();
    const before = await records.get(life.uid);
    const why = new Error("no time for this");
    const signal = AbortSignal.abort(why);
    await expect(records.live({ ...life, status: "RUNNING" }, signal)).rejects.toBe(why);
    await expect(records.pod(life.uid, "web", { uid: "pod-1", restarts: 0 }, signal)).rejects.toBe(why);
    await expect(records.stop(life.uid, at(1), signal)).rejects.toBe(why);
    expect(await records.get(life.uid)).toEqual(before);
  });

  describe("any calls in any order", { timeout: 120_000 }, () => {
    test("by two processes that take turns and are started anew give what the model gives", async () => {
      const step = fc.record({ who: fc.nat({ max: 1 }), restarts: fc.integer({ min: 0, max: 7 }), call: anyCall(3) });
      const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
        const lives = [await place.newLife(), await place.newLife(), await place.newLife()];
        const model = new Model();
        await place.allSeen();
        const hands = [await place.open(), await place.open()];
        try {
          for (const { who, restarts, call } of steps) {
            if (restarts === 0) {
              await hands[who]?.[Symbol.asyncDispose]();
              hands[who] = await place.open();
            }
            const hand = hands[who] as RuntimeRecords;
            expect(await make(call, hand, lives)).toEqual(await make(call, model, lives));
            const { uid } = lives[call.life] as Life;
            expect(await hand.get(uid)).toEqual(model.get(uid));
            await place.allSeen();
          }
          for (const hand of hands) {
            const open = (await hand.open()).filter(({ uid }) => lives.some((life) => life.uid === uid));
            expect(uids(open)).toEqual(uids(model.open()));
            for (const record of open) expect(record).toEqual(model.get(record.uid));
          }
        } finally {
          for (const hand of hands) await hand[Symbol.asyncDispose]();
        }
      });
      await fc.assert(property, { numRuns: runs });
    });

    test("by two processes at once lose nothing", async () => {
      const calls = (container: string) => fc.array(anyCall(1, [container]), { minLength: 1, maxLength: 8 });
      // Of a life and a stop at once the later one counts, which nobody can tell: there is but one of the two.
      const missing = fc.constantFrom("live", "stop");
      const property = fc.asyncProperty(missing, calls("web"), calls("db"), async (left, ...both) => {
        const [first, second] = both.map((list) => list.filter((call) => call.do !== left)) as [Call[], Call[]];
        const life = await opened();
        await place.allSeen();
        const play = async (hand: RuntimeRecords, list: Call[]) => {
          const stopped: number[] = [];
          for (const call of list) {
            if ((await make(call, hand, [life])) === true && call.do === "stop") stopped.push(call.at);
          }
          return stopped;
        };
        const stopped = (await Promise.all([play(records, first), play(others, second)])).flat();
        await place.allSeen();
        const record = await records.get(life.uid);
        expect(await others.get(life.uid)).toEqual(record);
        const stops = [...first, ...second].filter((call) => call.do === "stop");
        expect(stopped).toEqual(stops.length === 0 ? [] : [record?.stoppedAt]);
        expect(record?.status === "STOPPED").toBe(stops.length > 0);
        // Calls after the stop count for nothing, so each container is where some of its first calls leave it.
        for (const [container, list] of [["web", first] as const, ["db", second] as const]) {
          const ends = endsOf(life, container, list);
          const possible = stops.length === 0 ? ends.slice(-1) : ends;
          expect(possible).toContainEqual(record?.pods[container]);
        }
      });
      await fc.assert(property, { numRuns: runs });
    });
  });

  /** Where the first calls leave a container, for any number of them. */
  function endsOf(life: Life, container: string, calls: Call[]) {
    const model = new Model();
    model.live(life);
    const ends = [model.get(life.uid)?.pods[container]];
    for (const call of calls) {
      if (call.do === "pod") model.pod(life.uid, call.container, call.seen);
      ends.push(model.get(life.uid)?.pods[container]);
    }
    return ends;
  }
}
