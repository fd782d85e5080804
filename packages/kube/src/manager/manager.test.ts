import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type KubeObject, keyOf, type ResourceType } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { Client } from "../client/client.ts";
import { sleep } from "../clock.ts";
import type { ControllerOptions } from "../controller/controller.ts";
import { watchMapped, watchSelf } from "../controller/watches.ts";
import { LeadershipLost } from "../election/fence.ts";
import { type ConfigMap, ConfigMaps, Pods } from "../kinds.ts";
import { errorText, type Logger, silentLogger } from "../log.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { FakeLeases } from "../testing/fake-leases.ts";
import { FakeServer } from "../testing/fake-server.ts";
import { refusal } from "../testing/refusal.ts";
import { Manager, type ManagerOptions } from "./manager.ts";

/** One process in a small world: a server, a lease, time, and a record of what happened in which order. */
class World {
  readonly clock = new FakeClock();
  readonly server = new FakeServer();
  readonly leases = new FakeLeases();
  /** Writes that reached the server, and what the test adds. */
  readonly story: string[] = [];
  /** Warnings and errors. */
  readonly logged: string[] = [];
  readonly infos: string[] = [];
  readonly stop = new AbortController();
  leaseServerDown = false;
  /** Which kinds the server serves; an error is thrown at whoever asks. */
  served: ResourceType[] | Error = [];

  async manager(options: Partial<ManagerOptions> = {}): Promise<Manager> {
    const info = (fields: object, message: string) => void this.infos.push(`${message} ${JSON.stringify(fields)}`);
    const log: Logger = { ...silentLogger, info, warn: this.#note, error: this.#note, child: () => log };
    return new Manager({
      component: "test",
      client: this.#client(),
      log,
      metrics: await createMetrics(),
      clock: this.clock,
      random: () => 0.5,
      ...options,
    });
  }

  readonly election = {
    client: this.leases.client(async ({ verb, arrive }) => {
      if (this.leaseServerDown) throw new Error("the connection was refused");
      const answer = arrive();
      if (verb === "update" && this.leases.lease?.spec?.holderIdentity === "") this.story.push("lease released");
      return answer;
    }),
    namespace: "ctf",
  };

  /** An election in which somebody else holds the lease. */
  takeLease(): void {
    this.leases.put({ holderIdentity: "other", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" });
  }

  /** Writes once, and then takes as long as is asked, or as its signal lets it. */
  slow(takesMs: number, manager: Manager): ControllerOptions["reconcile"] {
    return async (key, { signal }) => {
      this.story.push(`begin ${key}`);
      await sleep(this.clock, takesMs, signal);
      await manager.client.patch(ConfigMaps, "default", key, { type: "merge", body: {} }, { signal });
      manager.recorder.event(this.server.objects.get("a") as KubeObject, "Normal", `Done-${key}`, "it is done");
      return undefined;
    };
  }

  /** As the manager gets it, before its lease guards it. */
  get client(): Client {
    return this.#client();
  }

  #client(guard: () => void = () => {}): Client {
    return {
      ...this.server.client,
      discovery: {
        find: async ({ kind }: { kind: string }) => {
          if (this.served instanceof Error) throw this.served;
          return this.served.find((type) => type.kind === kind);
        },
      },
      patch: async (_type: unknown, _namespace: string, name: string) => {
        guard();
        this.story.push(`patch ${name}`);
        return { metadata: { name } };
      },
      create: async ({ resource }: { resource: string }, _: unknown, { signal }: { signal?: AbortSignal } = {}) => {
        guard();
        await sleep(this.clock, 300, signal);
        this.story.push(`create ${resource}`);
        return { metadata: { name: "x" } };
      },
      guarded: (inner: () => void) =>
        this.#client(() => {
          guard();
          inner();
        }),
    } as unknown as Client;
  }

  readonly #note = (fields: object, message: string): void => {
    this.logged.push(`${message} ${JSON.stringify(fields)}`);
  };

  expectNothingLeft(): void {
    expect({ timers: this.clock.timers, watches: this.server.watches }).toEqual({ timers: 0, watches: 0 });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function ask(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: "close" } });
  return `${answer.status} ${(await answer.text()).trim()}`;
}

async function served(options: Partial<ManagerOptions> = {}) {
  const world = new World();
  const port = await freePort();
  const manager = await world.manager({
    health: { host: "127.0.0.1", healthPort: port, metricsPort: port },
    ...options,
  });
  return { world, manager, port };
}

describe("a manager that starts", () => {
  test("serves health first, fills its caches, and only then works", async () => {
    const { world, manager, port } = await served();
    world.server.put("a", {});
    world.server.down = true;
    const informer = manager.informer(ConfigMaps);
    manager.addController({ name: "test", watches: [watchSelf(informer)], reconcile: world.slow(0, manager) });
    const run = manager.run(world.stop.signal);
    await world.clock.advance(20_000);
    expect(await ask(port, "/healthz")).toBe("200 ok");
    expect(await ask(port, "/readyz")).toContain("[-]caches failed: the caches of configmaps are not filled");
    expect(world.story).toEqual([]);
    const serving = `serving health and metrics {"healthPort":${port},"metricsPort":${port}}`;
    expect(world.infos).toEqual([serving]);

    world.server.down = false;
    await world.clock.advance(30_000);
    expect(await ask(port, "/readyz")).toBe("200 ok");
    expect(world.infos).toEqual([serving, 'caches are filled {"resources":["configmaps"]}']);
    expect(world.story).toEqual(["begin default/a", "patch default/a", "create events"]);
    expect(await ask(port, "/metrics")).toContain(
      'controller_runtime_reconcile_total{controller="test",result="success"} 1',
    );
    world.stop.abort();
    await run;
    await expect(ask(port, "/healthz")).rejects.toThrow();
    world.expectNothingLeft();
  });

  test("is ready while it waits for the lease, and works when it leads", async () => {
    const world = new World();
    world.takeLease();
    const port = await freePort();
    const health = { host: "127.0.0.1", healthPort: port, metricsPort: port };
    const metrics = await createMetrics();
    const manager = await world.manager({ health, election: world.election, metrics });
    world.server.put("a", {});
    const watches = [watchSelf(manager.informer(ConfigMaps))];
    manager.addController({ name: "test", watches, reconcile: world.slow(0, manager) });
    const run = manager.run(world.stop.signal);
    await world.clock.advance(14_000);
    expect(await ask(port, "/readyz")).toBe("200 ok");
    expect(await ask(port, "/healthz")).toBe("200 ok");
    expect([world.story, metrics.isStandby]).toEqual([[], true]);
    await world.clock.advance(4_000);
    expect(world.story).toContain("patch default/a");
    expect(metrics.isStandby).toBe(false);
    world.stop.abort();
    await run;
    world.expectNothingLeft();
  });

  test("is not ready where it can never reach its lease, and well all the same", async () => {
    const world = new World();
    world.leaseServerDown = true;
    const port = await freePort();
    const health = { host: "127.0.0.1", healthPort: port, metricsPort: port };
    const manager = await world.manager({ health, election: world.election });
    const run = manager.run(world.stop.signal);
    await world.clock.advance(10_000);
    expect(await ask(port, "/readyz?verbose")).toContain(
      "[-]lease failed: cannot read or write the lease ctf/berg-test",
    );
    expect(await ask(port, "/healthz")).toBe("200 ok");
    world.leaseServerDown = false;
    await world.clock.advance(3_000);
    expect(await ask(port, "/readyz")).toBe("200 ok");
    world.stop.abort();
    await run;
    world.expectNothingLeft();
  });

  test("ends with the name of what is missing where a cache does not fill, and leaves nothing behind", async () => {
    const world = new World();
    world.server.refusal = refusal(403, { message: 'User "berg" cannot list resource "configmaps"' });
    const manager = await world.manager({ election: world.election });
    manager.informer(ConfigMaps);
    const run = manager.run(world.stop.signal);
    const failure = expect(run).rejects.toThrow(
      "the caches of configmaps are not filled after 120 s: the log says why",
    );
    await world.clock.advance(120_000);
    await failure;
    expect(world.logged[0]).toContain('User \\"berg\\" cannot list resource');
    expect(world.logged[0]).toContain("allow this account to list and watch configmaps");
    expect(world.leases.lease).toBeUndefined();
    world.expectNothingLeft();
  });

  test("starts nothing where health cannot be served, and says on which port", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const { world, manager } = await served({ health: { host: "127.0.0.1", healthPort: port } });
    manager.informer(ConfigMaps);
    await expect(manager.run(world.stop.signal)).rejects.toThrow(`cannot serve health or metrics on port ${port}`);
    world.expectNothingLeft();
    taken.close();
  });

  test("runs without a controller too, until it is told to stop", async () => {
    const world = new World();
    const manager = await world.manager({ election: world.election });
    const informer = manager.informer(ConfigMaps);
    let ended = false;
    const run = manager.run(world.stop.signal).finally(() => {
      ended = true;
    });
    await world.clock.advance(3_600_000);
    expect([ended, informer.hasSynced]).toEqual([false, true]);
    world.stop.abort();
    await run;
    world.expectNothingLeft();
  });

  test("runs once", async () => {
    const world = new World();
    const manager = await world.manager();
    world.stop.abort();
    await manager.run(world.stop.signal);
    await expect(manager.run(world.stop.signal)).rejects.toThrow("it runs once");
    const late: ControllerOptions = { name: "late", watches: [], reconcile: async () => undefined };
    expect(() => manager.addController(late)).toThrow('cannot add the controller "late": the manager is running');
  });
});

describe("a manager told to stop", () => {
  const phases: Record<string, { prepare?: (world: World) => void; afterMs: number }> = {
    "before it started": { prepare: (world) => world.stop.abort(), afterMs: 0 },
    "while its caches fill": {
      prepare: (world) => {
        world.server.down = true;
      },
      afterMs: 10_000,
    },
    "while it waits for the lease": { prepare: (world) => world.takeLease(), afterMs: 5_000 },
    "while the lease cannot be reached": {
      prepare: (world) => {
        world.leaseServerDown = true;
      },
      afterMs: 5_000,
    },
    "while it leads": { afterMs: 60_000 },
  };
  for (const [name, { prepare = () => {}, afterMs }] of Object.entries(phases)) {
    test(`${name} ends in order, holds no lease and leaves nothing behind`, async () => {
      const world = new World();
      prepare(world);
      const manager = await world.manager({ election: world.election });
      const watches = [watchSelf(manager.informer(ConfigMaps))];
      manager.addController({ name: "test", watches, reconcile: async () => undefined });
      const run = manager.run(world.stop.signal);
      await world.clock.advance(afterMs);
      const holder = world.leases.lease?.spec?.holderIdentity ?? "";
      expect(holder).toMatch(name === "while it leads" ? /_/ : /^(other)?$/);
      world.stop.abort(new Error("told to stop"));
      await run;
      expect(world.leases.lease?.spec?.holderIdentity ?? "").toMatch(/^(other)?$/);
      world.expectNothingLeft();
    });
  }

  test("finishes what is under way, begins nothing more, writes its events, and lets go of the lease last", async () => {
    const world = new World();
    const manager = await world.manager({ election: world.election });
    for (const name of ["a", "b", "c"]) world.server.put(name, {});
    const watches = [watchSelf(manager.informer(ConfigMaps))];
    manager.addController({ name: "test", watches, workers: 2, reconcile: world.slow(10_000, manager) });
    const run = manager.run(world.stop.signal);
    await world.clock.advance(1000);
    expect(world.story).toEqual(["begin default/a", "begin default/b"]);
    world.stop.abort();
    await world.clock.advance(10_000);
    await run;
    expect(world.story).toEqual([
      "begin default/a",
      "begin default/b",
      "patch default/a",
      "patch default/b",
      "create events",
      "create events",
      "lease released",
    ]);
    world.expectNothingLeft();
  });

  test("cuts off what does not end within 15 s, says so, and still lets go of the lease", async () => {
    const world = new World();
    const manager = await world.manager({ election: world.election });
    world.server.put("a", {});
    const watches = [watchSelf(manager.informer(ConfigMaps))];
    manager.addController({ name: "slow", watches, reconcile: world.slow(40_000, manager) });
    manager.addController({ name: "deaf", watches, reconcile: () => new Promise(() => {}) });
    let ended = false;
    const run = manager.run(world.stop.signal).finally(() => {
      ended = true;
    });
    await world.clock.advance(20_000);
    world.stop.abort();
    await world.clock.advance(14_900);
    expect(ended).toBe(false);
    await world.clock.advance(200);
    await run;
    expect(world.story).toEqual(["begin default/a", "lease released"]);
    expect(world.logged).toEqual(['reconciles are cut off: they did not end in time {"seconds":15}']);
    world.expectNothingLeft();
  });
});

describe("a manager that leads", () => {
  test("stops writing and ends when it cannot renew, without noise and without waiting for what could only be refused", async () => {
    const world = new World();
    const manager = await world.manager({ election: world.election });
    world.server.put("a", {});
    world.server.put("b", {});
    const watches = [watchSelf(manager.informer(ConfigMaps))];
    let reconciles = 0;
    manager.addController({
      name: "test",
      watches,
      reconcile: async (key, { signal }) => {
        reconciles++;
        manager.recorder.event(world.server.objects.get("a") as KubeObject, "Normal", "Begun", "it begins");
        for (;;) {
          await sleep(world.clock, 500, key === "default/a" ? signal : undefined);
          await manager.client.patch(ConfigMaps, "default", key, { type: "merge", body: {} });
        }
      },
    });
    const run = manager.run(world.stop.signal);
    const failure = expect(run).rejects.toThrow(
      new LeadershipLost("this process no longer leads, and ends: start it again"),
    );
    await world.clock.advance(17_000);
    expect([reconciles, world.story.includes("patch default/a")]).toEqual([2, true]);
    world.leaseServerDown = true;
    const downAt = world.clock.monotonic();
    await world.clock.advance(9_900 - 2_400);
    manager.recorder.event(world.server.objects.get("a") as KubeObject, "Normal", "Late", "it is late");
    await world.clock.advance(2_500);
    await failure;
    expect(world.clock.monotonic() - downAt).toBeLessThanOrEqual(10_000);
    const written = world.story.length;
    await world.clock.advance(60_000);
    expect(world.story.slice(written)).toEqual([]);
    expect(world.story).not.toContain("lease released");
    expect(reconciles).toBe(2);
    expect(world.logged.filter((line) => line.startsWith("reconcile"))).toEqual([]);
    world.expectNothingLeft();
  });

  test("ends with everything where one of its controllers fails, and lets go of the lease", async () => {
    const world = new World();
    const manager = await world.manager({ election: world.election });
    world.server.put("a", {});
    const informer = manager.informer(ConfigMaps);
    const broken = watchSelf(informer);
    const watch = {
      ...broken,
      start: () => {
        throw new Error("no such index");
      },
    };
    manager.addController({ name: "good", watches: [broken], reconcile: world.slow(60_000, manager) });
    manager.addController({ name: "bad", watches: [watch], reconcile: async () => undefined });
    const failure = expect(manager.run(world.stop.signal)).rejects.toThrow("no such index");
    await world.clock.advance(20_000);
    await failure;
    expect(world.story.at(-1)).toBe("lease released");
    expect(world.story).not.toContain("patch default/a");
    world.expectNothingLeft();
  });

  test("ends with everything where a cache ends by itself", async () => {
    const world = new World();
    const manager = await world.manager({ election: world.election });
    const informer = manager.informer(ConfigMaps);
    const own = new AbortController();
    const started = informer.run(own.signal);
    await expect(manager.run(world.stop.signal)).rejects.toThrow("the informer of configmaps was started already");
    own.abort();
    await started;
    world.expectNothingLeft();
  });
});

describe("the caches of a manager", () => {
  test("are shared by whoever asks for the same, and apart for another selection or transform", async () => {
    const manager = await new World().manager();
    const all = manager.informer(ConfigMaps);
    const some = manager.informer(ConfigMaps, { selection: { namespace: "ctf" } });
    expect(manager.informer(ConfigMaps)).toBe(all);
    expect(manager.informer(ConfigMaps, { selection: { namespace: "ctf" } })).toBe(some);
    expect(some).not.toBe(all);
    expect(manager.informer(Pods)).not.toBe(all);
    expect(manager.informer(ConfigMaps, { transform: (object) => object })).not.toBe(all);
  });

  test("that are asked for late are filled too, and until then this process is not ready", async () => {
    const { world, manager, port } = await served();
    manager.informer(ConfigMaps);
    const run = manager.run(world.stop.signal);
    await world.clock.advance(1_000);
    world.server.down = true;
    const late = manager.informer(ConfigMaps, { selection: { namespace: "ctf" } });
    await world.clock.advance(1_000);
    expect(await ask(port, "/readyz")).toContain("500");
    world.server.down = false;
    await world.clock.advance(30_000);
    await late.synced();
    expect(await ask(port, "/readyz")).toBe("200 ok");
    world.stop.abort();
    await run;
    world.expectNothingLeft();
  });

  test("of a kind that may not be installed are filled before anything works where it is", async () => {
    const world = new World();
    world.served = new Error("the connection was refused");
    world.server.put("a", { value: "1" });
    const manager = await world.manager();
    const optional = manager.optionalInformer<ConfigMap>({ group: "", kind: "ConfigMap" });
    const watches = [watchMapped(optional, (object) => [keyOf(object)])];
    const reconcile = async (key: string) => {
      world.story.push(`${key} ${optional.get(key)?.data?.value}`);
      return undefined;
    };
    manager.addController({ name: "test", watches, reconcile });
    const run = manager.run(world.stop.signal);
    await world.clock.advance(5_000);
    expect([world.story, world.infos]).toEqual([[], []]);
    expect(world.logged[0]).toContain("cannot ask the server which kinds it serves");
    world.served = [ConfigMaps];
    await world.clock.advance(30_000);
    expect(world.infos).toEqual(['caches are filled {"resources":["configmaps"]}']);
    expect(world.story).toEqual(["default/a 1"]);
    world.stop.abort();
    await run;
    world.expectNothingLeft();
  });

  test("of a kind that is installed later are filled for whoever looks, and then followed without a restart", async () => {
    const world = new World();
    world.server.put("a", { value: "1" });
    const manager = await world.manager();
    const optional = manager.optionalInformer<ConfigMap>({ group: "", kind: "ConfigMap" });
    const keys: string[] = [];
    const watches = [watchMapped(optional, (object) => [keyOf(object)])];
    const reconcile = async (key: string) => {
      keys.push(key);
      return undefined;
    };
    manager.addController({ name: "test", watches, reconcile });
    const run = manager.run(world.stop.signal);
    await world.clock.advance(1);
    expect(await optional.look(world.stop.signal)).toBeUndefined();
    expect([optional.informer, optional.list(), keys, world.server.watches]).toEqual([undefined, [], [], 0]);
    world.served = [ConfigMaps];
    await Promise.all([optional.look(world.stop.signal), optional.look(world.stop.signal)]);
    await optional.synced(world.stop.signal);
    expect([optional.get("default/a")?.data, world.server.watches]).toEqual([{ value: "1" }, 1]);
    world.server.put("b", {});
    await world.clock.advance(1);
    expect(keys).toEqual(["default/a", "default/b"]);
    world.stop.abort();
    await run;
    world.expectNothingLeft();
  });

  test("of a kind that is installed and cannot be listed are gone on without, and the log says so", async () => {
    const { world, manager, port } = await served();
    world.served = [ConfigMaps];
    world.server.refusal = refusal(403, { reason: "Forbidden" });
    const optional = manager.optionalInformer<ConfigMap>({ group: "", kind: "ConfigMap" });
    manager.addController({
      name: "test",
      watches: [watchMapped(optional, (object) => [keyOf(object)])],
      async reconcile(key) {
        world.story.push(key);
        return undefined;
      },
    });
    const run = manager.run(world.stop.signal);
    await world.clock.advance(29_000);
    expect(world.infos.join()).not.toContain("caches are filled");
    await world.clock.advance(1_000);
    expect(world.infos.at(-1)).toBe('caches are filled {"resources":[]}');
    expect(world.logged.at(-1)).toBe(
      'going on without a kind that is installed and cannot be listed {"group":"","kind":"ConfigMap"}',
    );
    expect(await ask(port, "/readyz")).toBe("200 ok");
    await world.clock.advance(600_000);
    expect([optional.informer, world.story]).toEqual([undefined, []]);
    world.server.refusal = undefined;
    world.server.put("a", {});
    await world.clock.advance(60_000);
    expect([optional.informer?.hasSynced, world.story]).toEqual([true, ["default/a"]]);
    world.stop.abort();
    await run;
    world.expectNothingLeft();
  });

  test("of a kind about which the server never answers end the process, which says so", async () => {
    const world = new World();
    world.served = new Error("the connection was refused");
    const manager = await world.manager();
    manager.optionalInformer({ group: "", kind: "ConfigMap" });
    const run = manager.run(world.stop.signal);
    const failure = expect(run).rejects.toThrow("the server did not say which kinds it serves after 120 s");
    await world.clock.advance(120_000);
    await failure;
    world.expectNothingLeft();
  });

  test("do not make this process unwell while the server is away, but do where a watch is deaf and stays", async () => {
    const { world, manager, port } = await served();
    manager.informer(ConfigMaps);
    const run = manager.run(world.stop.signal);
    await world.clock.advance(1_000);
    world.server.down = true;
    world.server.cutWatches();
    await world.clock.advance(3_600_000);
    expect(await ask(port, "/healthz")).toBe("200 ok");
    expect(await ask(port, "/readyz")).toBe("200 ok");

    world.server.down = false;
    await world.clock.advance(30_000);
    world.server.bookmark();
    world.server.freezeWatches();
    world.server.ignoresAborts = true;
    await world.clock.advance(300_000);
    expect(await ask(port, "/healthz")).toBe("200 ok");
    await world.clock.advance(1_000);
    expect(await ask(port, "/healthz")).toContain("nothing heard for over 300 s about configmaps");
    world.stop.abort();
    world.server.endWatches();
    await settle();
    await run;
    world.expectNothingLeft();
  });
});

describe("a manager with another server beside its own", () => {
  async function withOther(world: World, options: Partial<ManagerOptions> = {}) {
    const manager = await world.manager(options);
    const away = new World();
    const other = manager.otherServer(away.client);
    const theirs = other.informer(ConfigMaps);
    const own = manager.informer(ConfigMaps);
    const seen: string[] = [];
    manager.addController({
      name: "test",
      watches: [watchSelf(own), watchMapped(theirs, () => ["told of theirs"])],
      reconcile: async (key) => {
        seen.push(`${key}: ${theirs.hasSynced ? "known" : errorText(theirs.failure)}`);
        return undefined;
      },
    });
    return { manager, away, other, theirs, own, seen };
  }

  test("works and is ready while that one is away, knows why, and hears of it when it comes", async () => {
    const world = new World();
    const port = await freePort();
    const health = { host: "127.0.0.1", healthPort: port, metricsPort: port };
    const { manager, away, theirs, own, seen } = await withOther(world, { health });
    expect(theirs).not.toBe(own);
    world.server.put("a", {});
    away.server.put("b", {});
    away.server.down = true;
    const run = manager.run(world.stop.signal);
    await world.clock.advance(29_000);
    expect(seen).toEqual([]);
    await world.clock.advance(2_000);
    expect(seen).toEqual(["default/a: the connection was refused"]);
    expect(await ask(port, "/readyz")).toBe("200 ok");
    expect(world.logged.at(-1)).toContain("going on without a kind that another server does not list");

    away.server.down = false;
    await world.clock.advance(40_000);
    expect(seen).toEqual(["default/a: the connection was refused", "told of theirs: known"]);
    expect(theirs.failure).toBeUndefined();
    world.stop.abort();
    await run;
    world.expectNothingLeft();
    expect(away.server.watches).toBe(0);
  });

  test("waits for it where it is there, and so never takes it for away", async () => {
    const world = new World();
    const { manager, seen } = await withOther(world);
    world.server.put("a", {});
    const run = manager.run(world.stop.signal);
    await world.clock.advance(1_000);
    expect(seen).toEqual(["default/a: known"]);
    world.stop.abort();
    await run;
  });

  test("writes to it only while it leads", async () => {
    const world = new World();
    world.takeLease();
    const { manager, away, other } = await withOther(world, { election: world.election });
    const run = manager.run(world.stop.signal);
    const write = () => other.client.patch(ConfigMaps, "default", "b", { type: "merge", body: {} });
    await world.clock.advance(10_000);
    await expect(write()).rejects.toThrow(LeadershipLost);
    await world.clock.advance(10_000);
    await write();
    expect(away.story).toEqual(["patch b"]);
    world.stop.abort();
    await run;
    await expect(write()).rejects.toThrow(LeadershipLost);
  });
});
