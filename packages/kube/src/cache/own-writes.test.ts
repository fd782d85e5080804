import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConfigMap, ConfigMaps } from "../kinds.ts";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { FakeServer } from "../testing/fake-server.ts";
import { storedConfigMap } from "../testing/objects.ts";
import { Informer } from "./informer.ts";
import { OwnWrites } from "./own-writes.ts";
import { withoutSecretData } from "./transforms.ts";

const byOwner = "owner";

/** A server, an informer that follows it, and the view under test. `pause` lets the informer fall behind. */
class World {
  readonly clock = new FakeClock();
  readonly server = new FakeServer();
  readonly informer = new Informer<ConfigMap>({
    client: this.server.client,
    type: ConfigMaps,
    clock: this.clock,
    random: () => 0,
  });
  readonly view = new OwnWrites(this.informer, this.clock);
  readonly #stop = new AbortController();

  async start(): Promise<this> {
    this.view.ensureIndex(byOwner, ({ data }) => (data?.owner ? [data.owner] : []));
    void this.informer.run(this.#stop.signal);
    await this.informer.synced();
    return this;
  }

  /** What happens from now on reaches the informer only with `catchUp`. */
  pause(): void {
    this.server.freezeWatches();
  }

  async catchUp(): Promise<void> {
    this.server.cutWatches();
    await this.clock.advance(1);
  }

  /** As a create or an apply by this process. */
  write(name: string, data: Record<string, string>, owner = "x") {
    this.server.put(name, { ...data, owner });
    const stored = structuredClone(this.at(name));
    this.view.wrote(stored);
    return stored;
  }

  at(name: string) {
    const object = this.server.objects.get(name);
    if (!object) throw new Error(`there is no ${name}`);
    return object;
  }

  /** As a delete by this process of something without finalizers. */
  remove(name: string): void {
    const { uid } = this.at(name).metadata;
    this.server.remove(name);
    this.view.deleted(uid);
  }

  get(name: string): string | undefined {
    const object = this.view.get(`default/${name}`);
    if (!object) return undefined;
    const going = object.metadata.deletionTimestamp ? " going" : "";
    return `${object.metadata.uid} ${object.data?.value}${going}`;
  }

  owned(owner = "x"): string[] {
    const names = this.view.byIndex(byOwner, owner).map(({ metadata }) => metadata.name);
    return names.sort();
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await settle();
    expect(this.clock.timers).toBe(0);
  }
}

async function withWorld(story: (world: World) => Promise<void>): Promise<void> {
  const world = await new World().start();
  await story(world);
  await world.end();
}

describe("own writes", () => {
  test("what was created is there before the informer has seen it, by key, by index and in the list", () =>
    withWorld(async (world) => {
      world.pause();
      world.write("a", { value: "1" });
      expect([world.informer.size, world.get("a"), world.owned(), world.view.list().length]).toEqual([
        0,
        "a-1 1",
        ["a"],
        1,
      ]);
      await world.catchUp();
      expect([world.informer.size, world.get("a"), world.owned(), world.view.list().length]).toEqual([
        1,
        "a-1 1",
        ["a"],
        1,
      ]);
    }));

  test("what was deleted without its time to end shows that, too, also where it was on its way already", () =>
    withWorld(async (world) => {
      const { uid } = world.write("a", { value: "1" }).metadata;
      const shown = () => {
        const { deletionTimestamp, deletionGracePeriodSeconds } = world.view.get("default/a")?.metadata ?? {};
        return [deletionTimestamp, deletionGracePeriodSeconds];
      };
      world.view.deleted(uid);
      expect(shown()).toEqual(["2026-01-01T00:00:00Z", undefined]);
      await world.clock.advance(10_000);
      world.view.deleted(uid, true);
      expect(shown()).toEqual(["2026-01-01T00:00:00Z", 0]);
      world.view.deleted(uid);
      expect(shown()).toEqual(["2026-01-01T00:00:00Z", 0]);
    }));

  test("what was updated is seen as updated while the informer has the older, also where it changed its owner", () =>
    withWorld(async (world) => {
      world.server.put("a", { value: "1", owner: "x" });
      world.pause();
      world.write("a", { value: "2" }, "y");
      expect([world.informer.get("default/a")?.data?.value, world.get("a")]).toEqual(["1", "a-1 2"]);
      expect([world.owned("x"), world.owned("y")]).toEqual([[], ["a"]]);
      await world.catchUp();
      expect([world.get("a"), world.owned("x"), world.owned("y")]).toEqual(["a-1 2", [], ["a"]]);
    }));

  test("a newer state in the informer wins, whenever the answer to the write arrives", () =>
    withWorld(async (world) => {
      const mine = world.write("a", { value: "mine" });
      world.server.put("a", { value: "theirs" });
      expect(world.get("a")).toBe("a-1 theirs");
      world.view.wrote(mine);
      expect(world.get("a")).toBe("a-1 theirs");
      world.server.remove("a");
      world.view.wrote(mine);
      expect(world.get("a")).toBeUndefined();
      expect(world.owned()).toEqual([]);
    }));

  test("of two own writes the later counts, in whatever order their answers arrive", () =>
    withWorld(async (world) => {
      world.pause();
      const first = world.write("a", { value: "1" });
      world.write("a", { value: "2" });
      world.view.wrote(first);
      expect(world.get("a")).toBe("a-1 2");
    }));

  test("what was deleted is on its way while the informer still has it, and gone when the informer says so", () =>
    withWorld(async (world) => {
      world.server.put("a", { value: "1", owner: "x" });
      world.pause();
      world.remove("a");
      expect([world.get("a"), world.owned()]).toEqual(["a-1 1 going", ["a"]]);
      expect(world.view.byIndex(byOwner, "x")[0]?.metadata.deletionTimestamp).toBe("2026-01-01T00:00:00Z");
      await world.catchUp();
      expect([world.get("a"), world.owned()]).toEqual([undefined, []]);
    }));

  test("what was created and deleted before the informer saw anything never looks alive", () =>
    withWorld(async (world) => {
      world.pause();
      world.write("a", { value: "1" });
      world.remove("a");
      expect(world.get("a")).toBe("a-1 1 going");
      await world.catchUp();
      expect(world.get("a")).toBeUndefined();
    }));

  test("what somebody made anew after our delete is theirs, and alive", () =>
    withWorld(async (world) => {
      world.pause();
      world.write("a", { value: "mine" });
      world.remove("a");
      world.server.put("a", { value: "theirs" });
      expect(world.get("a")).toBe("a-1 mine going");
      await world.catchUp();
      expect([world.get("a"), world.owned()]).toEqual(["a-2 theirs", []]);
    }));

  test("what we made anew is seen while the informer has its former life", () =>
    withWorld(async (world) => {
      world.server.put("a", { value: "old", owner: "x" });
      world.pause();
      world.remove("a");
      world.write("a", { value: "new" });
      expect([world.get("a"), world.owned()]).toEqual(["a-2 new", ["a"]]);
    }));

  test("nothing is kept for longer than five minutes, and no timer for it", async () => {
    const clock = new FakeClock();
    const { client } = new FakeServer();
    // One that never comes as far as what was written.
    const view = new OwnWrites(new Informer<ConfigMap>({ client, type: ConfigMaps, clock }), clock);
    view.wrote(storedConfigMap("a", 1));
    view.wrote(storedConfigMap("b", 2));
    view.deleted("b-1");
    await clock.advance(299_999);
    expect(view.list().map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined])).toEqual([
      ["a", false],
      ["b", true],
    ]);
    expect(clock.timers).toBe(0);
    await clock.advance(1);
    expect([view.get("default/a"), view.list()]).toEqual([undefined, []]);
  });

  test("what is known to be gone is not shown, until it is written again or the informer has had its time", () =>
    withWorld(async (world) => {
      world.server.put("a", { value: "1", owner: "x" });
      world.server.put("b", { value: "1", owner: "x" });
      world.pause();
      world.view.gone("a-1");
      expect([world.get("a"), world.get("b"), world.owned()]).toEqual([undefined, "b-2 1", ["b"]]);
      world.view.wrote(storedConfigMap("a", 9, { uid: "a-1", data: { owner: "x" } }));
      expect(world.owned()).toEqual(["a", "b"]);
      world.view.gone("b-2");
      expect([world.get("b"), world.owned()]).toEqual([undefined, ["a"]]);
      await world.catchUp();
      await world.clock.advance(300_000);
      expect(world.get("b")).toBe("b-2 1");
    }));

  test("what it gives out is as the informer would keep it, and the caller's own stays as it was", () => {
    const clock = new FakeClock();
    const client = new FakeServer().client;
    const view = new OwnWrites(
      new Informer<ConfigMap>({ client, type: ConfigMaps, transform: withoutSecretData, clock }),
      clock,
    );
    const stored = storedConfigMap("a", 1, { data: { flag: "secret" } });
    view.wrote(stored);
    const seen = view.get("default/a");
    expect([seen?.data, Object.isFrozen(seen), stored.data]).toEqual([undefined, true, { flag: "secret" }]);
    view.deleted("a-1");
    expect([Object.isFrozen(view.get("default/a")?.metadata), seen?.metadata.deletionTimestamp]).toEqual([
      true,
      undefined,
    ]);
  });
});

const step = fc.record({
  what: fc.constantFrom("write", "write", "remove", "theirs", "theirGone", "pause", "catchUp", "late", "wait"),
  name: fc.constantFrom("a", "b"),
});

test("the view is never older than this process's own last write, nor than the informer", () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25, size: "max" }), (story) =>
      withWorld(async (world) => {
        const mine = new Map<string, ReturnType<World["write"]>>();
        const removed = new Set<string>();
        for (const [at, { what, name }] of story.entries()) {
          const there = world.server.objects.get(name);
          if (what === "write") mine.set(name, world.write(name, { value: String(at) }));
          if (what === "remove" && there) {
            removed.add(there.metadata.uid);
            world.remove(name);
          }
          if (what === "theirs") world.server.put(name, { value: String(at) });
          if (what === "theirGone") world.server.remove(name);
          if (what === "pause") world.pause();
          if (what === "catchUp") await world.catchUp();
          const own = mine.get(name);
          // An answer that was on its way for long.
          if (what === "late" && own) world.view.wrote(own);
          if (what === "wait") await world.clock.advance(1_000);

          for (const key of ["a", "b"]) {
            const seen = world.view.get(`default/${key}`);
            const version = Number(seen?.metadata.resourceVersion ?? Number.POSITIVE_INFINITY);
            expect(version).toBeGreaterThanOrEqual(Number(mine.get(key)?.metadata.resourceVersion ?? 0));
            expect(version).toBeGreaterThanOrEqual(
              Number(world.informer.get(`default/${key}`)?.metadata.resourceVersion ?? 0),
            );
            if (seen && removed.has(seen.metadata.uid)) expect(seen.metadata.deletionTimestamp).toBeDefined();
          }
        }
        await world.catchUp();
        const names = [...world.server.objects.keys()].sort();
        expect(
          world.view
            .list()
            .map(({ metadata }) => metadata.name)
            .sort(),
        ).toEqual(names);
        for (const name of names)
          expect(world.view.get(`default/${name}`)).toMatchObject({ data: world.at(name).data });
      }),
    ),
    { numRuns: 200 },
  ));
