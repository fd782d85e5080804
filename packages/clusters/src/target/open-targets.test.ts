import type { Client } from "@berg/kube";
import { FakeClock, settle } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { type Opened, OpenTargets } from "./open-targets.ts";

const minute = 60_000;
const never = new AbortController().signal;

/** Targets that note how often they were opened, and when they were closed. */
class World {
  readonly clock = new FakeClock();
  readonly targets = new OpenTargets(this.clock);
  readonly opened: string[] = [];
  readonly closed: string[] = [];
  /** The answers wait for this. */
  gate: Promise<unknown> = Promise.resolve();

  readonly open = (name: string, validMs?: number) => async (): Promise<Opened> => {
    this.opened.push(name);
    await this.gate;
    const client = { close: async () => void this.closed.push(name) } as unknown as Client;
    const target = { client, server: `https://${name}`, certificateAuthority: "", connectWith: () => client };
    return { target, ...(validMs !== undefined && { validMs }) };
  };

  /** By somebody who keeps it in his hands. */
  async hold(uid: string, opensWith = "shoot 1", validMs?: number) {
    const name = `${uid}/${this.opened.length}`;
    return this.targets.get(uid, opensWith, this.open(name, validMs), never);
  }

  async get(uid: string, opensWith = "shoot 1", validMs?: number): Promise<string> {
    const target = await this.hold(uid, opensWith, validMs);
    target.done?.();
    return target.server;
  }
}

describe("open targets", () => {
  test("are kept for 8 minutes, and closed", async () => {
    const world = new World();
    expect(await world.get("a")).toBe("https://a/0");
    await world.clock.advance(8 * minute - 1);
    expect(await world.get("a")).toBe("https://a/0");
    expect(world.closed).toEqual([]);
    await world.clock.advance(1);
    expect([world.targets.size, world.closed]).toEqual([0, ["a/0"]]);
    expect(await world.get("a")).toBe("https://a/1");
    await world.clock.advance(10 * minute);
    expect([world.closed, world.clock.timers]).toEqual([["a/0", "a/1"], 0]);
  });

  test("are closed when the last who has one in his hands is done", async () => {
    const world = new World();
    const [first, second] = [await world.hold("a"), await world.hold("a")];
    world.targets.forget("a");
    await world.get("a");
    first.done?.();
    expect(world.closed).toEqual([]);
    second.done?.();
    expect(world.closed).toEqual(["a/0"]);
    world.targets.forget("a");
    expect([world.closed, world.clock.timers]).toEqual([["a/0", "a/1"], 0]);
  });

  test("are closed a minute later, done or not", async () => {
    const world = new World();
    const late = await world.hold("a");
    world.targets.forget("a");
    await world.clock.advance(minute - 1);
    expect(world.closed).toEqual([]);
    await world.clock.advance(1);
    expect(world.closed).toEqual(["a/0"]);
    late.done?.();
    expect(world.closed).toEqual(["a/0"]);
  });

  test("that nobody waits for any more when they are there are closed", async () => {
    const world = new World();
    const gate = Promise.withResolvers<void>();
    world.gate = gate.promise;
    const impatient = new AbortController();
    const leaving = world.targets.get("a", "shoot 1", world.open("a"), impatient.signal);
    impatient.abort(new Error("too slow"));
    await expect(leaving).rejects.toThrow("too slow");
    world.targets.forget("a");
    gate.resolve();
    await settle();
    expect([world.closed, world.clock.timers]).toEqual([["a"], 0]);
  });

  test("are kept for less where they are valid for less", async () => {
    const world = new World();
    await world.get("a", "shoot 1", 30_000);
    await world.clock.advance(30_000);
    expect(world.targets.size).toBe(0);
    await world.get("b", "shoot 1", 100 * minute);
    await world.clock.advance(8 * minute);
    expect(world.targets.size).toBe(0);
  });

  test("are opened once for all who ask meanwhile; one who leaves ends nobody's wait", async () => {
    const world = new World();
    const gate = Promise.withResolvers<void>();
    world.gate = gate.promise;
    const impatient = new AbortController();
    const first = world.targets.get("a", "shoot 1", world.open("first"), impatient.signal);
    const others = [1, 2, 3].map((n) => world.targets.get("a", "shoot 1", world.open(`other ${n}`), never));
    impatient.abort(new Error("too slow"));
    await expect(first).rejects.toThrow("too slow");
    gate.resolve();
    expect((await Promise.all(others)).map(({ server }) => server)).toEqual(Array(3).fill("https://first"));
    expect(world.opened).toEqual(["first"]);
  });

  test("are opened anew where they are another Shoot, address or Secret", async () => {
    const world = new World();
    expect(await world.get("a", "shoot 1")).toBe("https://a/0");
    expect(await world.get("a", "shoot 2")).toBe("https://a/1");
    expect([world.closed, world.targets.size]).toEqual([["a/0"], 1]);
  });

  test("that could not be opened are tried again by the next who asks", async () => {
    const world = new World();
    const fail = () => world.targets.get("a", "shoot 1", () => Promise.reject(new Error("away")), never);
    await expect(Promise.all([fail(), fail()])).rejects.toThrow("away");
    expect(await world.get("a")).toBe("https://a/0");
  });

  test("that are forgotten are handed out no more, not even to those who asked before", async () => {
    const world = new World();
    await world.get("a");
    world.targets.forget("a");
    expect(await world.get("a")).toBe("https://a/1");

    const gate = Promise.withResolvers<void>();
    world.gate = gate.promise;
    const under = world.get("b");
    world.targets.forget("b");
    gate.resolve();
    await under;
    expect(world.targets.size).toBe(1);
    expect(world.closed).toEqual(["a/0", "b/2"]);
    world.targets.forget("nobody");
  });

  test("are 100 at most: the one that nobody asked for the longest goes", async () => {
    const world = new World();
    for (let n = 0; n < 100; n++) await world.get(`c${n}`);
    await world.get("c0");
    await world.get("new");
    expect(world.targets.size).toBe(100);
    expect(await world.get("c0")).toBe("https://c0/0");
    expect(world.closed).toEqual(["c1/1"]);
  });

  test("are all closed at the end, those under way too, and none is opened after it", async () => {
    const world = new World();
    await world.get("a");
    await world.hold("b");
    world.targets.forget("b");
    const gate = Promise.withResolvers<void>();
    world.gate = gate.promise;
    const late = world.get("c");
    await world.targets[Symbol.asyncDispose]();
    expect(world.closed.toSorted()).toEqual(["a/0", "b/1"]);
    gate.resolve();
    await late;
    await settle();
    expect([world.closed.toSorted(), world.clock.timers]).toEqual([["a/0", "b/1", "c/2"], 0]);
    await expect(world.get("d")).rejects.toThrow("the targets are closed");
  });
});
