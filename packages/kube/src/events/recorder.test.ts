import type { KubeObject } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { Client } from "../client/client.ts";
import type { CoreEvent } from "../kinds.ts";
import { silentLogger } from "../log.ts";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { refusal } from "../testing/refusal.ts";
import { EventWriter } from "./recorder.ts";

const web: KubeObject = {
  apiVersion: "berg/v1",
  kind: "Challenge",
  metadata: { name: "web", namespace: "ctf", uid: "u1" },
};
const never = new AbortController().signal;

function many(count: number): KubeObject[] {
  return Array.from({ length: count }, (_, i) => ({
    ...web,
    metadata: { ...web.metadata, name: `o${i}`, uid: `${i}` },
  }));
}

/** Stands in for an API server that keeps events; `fail` may throw in its place, before or after it has written. */
class FakeEvents {
  readonly stored = new Map<string, CoreEvent>();
  readonly calls: string[] = [];
  fail: (call: string, when: "before" | "after") => void | Promise<void> = () => {};

  readonly client = {
    create: async (_type: unknown, event: CoreEvent) => {
      const { namespace, name } = event.metadata;
      this.calls.push("create");
      await this.fail("create", "before");
      if (this.stored.has(`${namespace}/${name}`)) throw refusal(409, { reason: "AlreadyExists" });
      this.stored.set(`${namespace}/${name}`, structuredClone(event));
      await this.fail("create", "after");
      return structuredClone(event);
    },
    patch: async (_type: unknown, namespace: string, name: string, patch: { type: string; body: object }) => {
      this.calls.push(`patch ${patch.type}`);
      await this.fail("patch", "before");
      const event = this.stored.get(`${namespace}/${name}`);
      if (!event) throw refusal(404);
      Object.assign(event, patch.body);
      return structuredClone(event);
    },
  } as unknown as Client;

  get messages(): string[] {
    return [...this.stored.values()].map((event) => `${event.count} ${event.message}`);
  }
}

function setUp() {
  const clock = new FakeClock();
  const server = new FakeEvents();
  const seen = { dropped: 0, warnings: 0 };
  const log = { ...silentLogger, warn: () => void seen.warnings++ };
  const metrics = { dropped: () => void seen.dropped++ };
  const writer = new EventWriter({
    client: server.client,
    clock,
    random: () => 0.999,
    log,
    instance: "pod-1",
    metrics,
  });
  return { clock, server, seen, writer, recorder: writer.recorder("controller") };
}

describe("recording", () => {
  test("returns at once, and writes later", async () => {
    const { server, recorder } = setUp();
    recorder.event(web, "Normal", "Started", "it runs");
    expect(server.calls).toEqual([]);
    await settle();
    expect(server.messages).toEqual(["1 it runs"]);
  });

  test("two events of one object in the same millisecond both arrive, from one source or from two", async () => {
    const { server, writer, recorder } = setUp();
    const other = new EventWriter({
      client: server.client,
      clock: new FakeClock(),
      random: () => 0,
      log: silentLogger,
      instance: "pod-2",
    });
    recorder.event(web, "Normal", "Created", "service");
    recorder.event(web, "Normal", "Created", "deployment");
    writer.recorder("janitor").event(web, "Normal", "Created", "broom");
    other.recorder("controller").event(web, "Normal", "Created", "other");
    await settle();
    expect(server.messages.sort()).toEqual(["1 broom", "1 deployment", "1 other", "1 service"]);
  });

  test("names are the same in every run", async () => {
    const names = [];
    for (let run = 0; run < 2; run++) {
      const { server, recorder } = setUp();
      recorder.event(web, "Normal", "Created", "service");
      await settle();
      names.push([...server.stored.keys()]);
    }
    expect(names[0]).toEqual(names[1]);
    expect(names[0]?.[0]).toMatch(/^ctf\/web\.[0-9a-f]{16}$/);
  });

  test("the same event again is one patch", async () => {
    const { server, recorder, clock } = setUp();
    recorder.event(web, "Normal", "Started", "it runs");
    await clock.advance(5000);
    recorder.event(web, "Normal", "Started", "it runs");
    await settle();
    expect(server.calls).toEqual(["create", "patch merge"]);
    expect([...server.stored.values()]).toMatchObject([
      { count: 2, firstTimestamp: "2026-01-01T00:00:00Z", lastTimestamp: "2026-01-01T00:00:05Z" },
    ]);
  });

  test("never throws, whatever it is given", async () => {
    const { recorder, seen } = setUp();
    expect(() => recorder.event(undefined as never, "Normal", "X", "m")).not.toThrow();
    expect(() => recorder.event(web, "Normal", "X", undefined as never)).not.toThrow();
    await settle();
    expect(seen.dropped).toBe(1);
  });

  test("drops and counts what does not fit into the queue", async () => {
    const { server, recorder, writer, seen } = setUp();
    for (const object of many(20_200)) recorder.event(object, "Normal", "Started", "it runs");
    expect(seen.dropped).toBe(200);
    await writer.flush(never);
    expect(server.stored.size).toBe(20_000);
    expect(seen.dropped).toBe(200);
  });
});

describe("writing", () => {
  /** Each request takes 10 ms; tells how many there were at once, and in which order each object's came. */
  function slowly({ server, clock }: ReturnType<typeof setUp>) {
    const seen = { now: 0, most: 0 };
    server.fail = async (_, when) => {
      if (when === "after") return;
      seen.most = Math.max(seen.most, ++seen.now);
      await new Promise<void>((resolve) => void clock.setTimer(10, resolve));
      seen.now--;
    };
    return seen;
  }

  test("tells of several objects side by side, and of each in order", async () => {
    const world = setUp();
    const seen = slowly(world);
    const objects = many(100);
    for (const message of ["first", "second", "third"]) {
      for (const object of objects) world.recorder.event(object, "Normal", "Told", message);
    }
    await world.clock.advance(400);
    expect(seen.most).toBe(8);
    const told = [...world.server.stored.values()];
    expect(told).toHaveLength(300);
    for (const { metadata } of objects) {
      const ofObject = told.filter(({ involvedObject }) => involvedObject.uid === metadata.uid);
      expect(ofObject.map(({ message }) => message)).toEqual(["first", "second", "third"]);
    }
  });

  // However many steps later: the moment in which its writer is about to go is among them.
  test.each(["the same object", "another object"])(
    "misses nothing of %s that is recorded while the last event is just being finished",
    async (which) => {
      const objects = many(8);
      const next = which === "another object" ? web : (objects[7] as KubeObject);
      for (let steps = 0; steps < 15; steps++) {
        const { server, recorder } = setUp();
        server.fail = (_, when) => {
          if (when === "before" || server.stored.size !== objects.length) return;
          let step = Promise.resolve();
          for (let i = 0; i < steps; i++) step = step.then(() => {});
          void step.then(() => recorder.event(next, "Normal", "Told", "last"));
        };
        // As many as there are writers: nobody else is there to find it.
        for (const object of objects) recorder.event(object, "Normal", "Told", "first");
        await settle();
        expect(server.messages).toContain("1 last");
      }
    },
  );

  test("is not held up by an object that cannot be told of", async () => {
    const { server, recorder, clock } = setUp();
    const [stuck, ...others] = many(20) as [KubeObject, ...KubeObject[]];
    const create = server.client.create;
    Object.assign(server.client, {
      create: async (type: never, event: CoreEvent) => {
        if (event.involvedObject.uid === stuck.metadata.uid) throw refusal(500);
        return create(type, event as never);
      },
    });
    for (const object of [stuck, ...others]) recorder.event(object, "Normal", "Told", "it runs");
    await clock.advance(100);
    expect(server.stored.size).toBe(19);
  });

  const gone = [
    { name: "it has expired on the server", error: () => refusal(404) },
    { name: "somebody else has written it", error: () => refusal(409) },
  ];
  for (const { name, error } of gone) {
    test(`makes the event anew where ${name}, and counts that one from then on`, async () => {
      const { server, recorder, seen, clock } = setUp();
      let refuse = false;
      server.fail = (call) => {
        if (refuse && call === "patch") throw error();
      };
      recorder.event(web, "Normal", "Started", "it runs");
      await clock.advance(1000);
      refuse = true;
      recorder.event(web, "Normal", "Started", "it runs");
      await clock.advance(1000);
      refuse = false;
      recorder.event(web, "Normal", "Started", "it runs");
      await clock.advance(1000);
      expect(server.calls).toEqual(["create", "patch merge", "create", "patch merge"]);
      expect(server.messages).toEqual(["1 it runs", "3 it runs"]);
      expect(seen.dropped).toBe(0);
    });
  }

  const transient = [
    { name: "a broken connection", error: () => new Error("socket hang up") },
    { name: "an internal error", error: () => refusal(500) },
    { name: "too many requests", error: () => refusal(429) },
  ];
  for (const { name, error } of transient) {
    test(`tries again after ${name}, in order`, async () => {
      const { server, recorder, clock, seen } = setUp();
      let failures = 3;
      server.fail = () => {
        if (failures-- > 0) throw error();
      };
      recorder.event(web, "Normal", "Started", "first");
      recorder.event(web, "Normal", "Started", "second");
      await clock.advance(10_000);
      expect(server.messages).toEqual(["1 first", "1 second"]);
      expect(seen).toEqual({ dropped: 0, warnings: 0 });
    });
  }

  test("gives up after 12 tries and goes on with the next", async () => {
    const { server, recorder, clock, seen } = setUp();
    server.fail = () => {
      if (server.calls.length <= 12) throw new Error("connect ECONNREFUSED");
    };
    recorder.event(web, "Normal", "Started", "first");
    recorder.event(web, "Normal", "Started", "second");
    await clock.advance(200_000);
    expect(server.calls).toHaveLength(13);
    expect(server.messages).toEqual(["1 second"]);
    expect(seen).toEqual({ dropped: 1, warnings: 1 });
    expect(clock.timers).toBe(0);
  });

  test("waits longer each time, up to ten seconds", async () => {
    const { server, recorder, clock } = setUp();
    const at: number[] = [];
    server.fail = () => {
      at.push(clock.monotonic());
      throw new Error("connect ECONNREFUSED");
    };
    recorder.event(web, "Normal", "Started", "first");
    await clock.advance(200_000);
    const waits = at.slice(1).map((time, i) => Math.round((time - (at[i] ?? 0)) / 100) / 10);
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 10, 10, 10, 10, 10, 10]);
  });

  test("takes an event whose answer was lost for written", async () => {
    const { server, recorder, clock, seen } = setUp();
    let lose = true;
    server.fail = (_, when) => {
      if (!lose || when !== "after") return;
      lose = false;
      throw new Error("socket hang up");
    };
    recorder.event(web, "Normal", "Started", "it runs");
    await clock.advance(1000);
    recorder.event(web, "Normal", "Started", "it runs");
    await clock.advance(1000);
    expect(server.messages).toEqual(["2 it runs"]);
    expect(seen.dropped).toBe(0);
  });

  const refusals = [
    {
      name: "a namespace that is going",
      error: () => refusal(403, { details: { causes: [{ reason: "NamespaceTerminating" }] } }),
      wantWarnings: 0,
    },
    { name: "a namespace that is closed to us", error: () => refusal(403), wantWarnings: 0 },
    { name: "a namespace that is gone", error: () => refusal(404), wantWarnings: 0 },
    { name: "an event that the server finds wrong", error: () => refusal(422), wantWarnings: 1 },
  ];
  for (const { name, error, wantWarnings } of refusals) {
    test(`drops ${name} at the first refusal`, async () => {
      const { server, recorder, clock, seen } = setUp();
      server.fail = () => {
        throw error();
      };
      recorder.event(web, "Normal", "Started", "it runs");
      await clock.advance(60_000);
      expect(server.calls).toEqual(["create"]);
      expect(seen).toEqual({ dropped: 1, warnings: wantWarnings });
    });
  }
});

describe("flushing", () => {
  test("waits until everything is written, and takes nothing more", async () => {
    const { server, recorder, writer, seen } = setUp();
    recorder.event(web, "Normal", "Started", "first");
    recorder.event(web, "Normal", "Started", "second");
    await writer.flush(never);
    expect(server.messages).toEqual(["1 first", "1 second"]);
    recorder.event(web, "Normal", "Started", "late");
    await settle();
    expect(server.stored.size).toBe(2);
    expect(seen.dropped).toBe(1);
  });

  test("ends with its signal, even in the middle of a wait, and counts what was left", async () => {
    const { server, recorder, writer, clock, seen } = setUp();
    server.fail = () => {
      throw new Error("connect ECONNREFUSED");
    };
    recorder.event(web, "Normal", "Started", "first");
    recorder.event(web, "Normal", "Started", "second");
    await settle();
    const deadline = new AbortController();
    const flushing = writer.flush(deadline.signal);
    await settle();
    deadline.abort(new Error("time is up"));
    await flushing;
    expect(seen).toEqual({ dropped: 2, warnings: 0 });
    expect(clock.timers).toBe(0);
  });

  test("of nothing is over at once", async () => {
    const { writer } = setUp();
    await writer.flush(never);
  });
});
