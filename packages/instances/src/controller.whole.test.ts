/** The controller with its real queue in a cluster in memory: what happens when what it does fails, over time. */
import { formatTime, type KubeObject, keyOf, parseTime, type ResourceType, type Stored } from "@berg/apimachinery";
import {
  Controller,
  type ControllerOptions,
  Deployments,
  findCondition,
  type Logger,
  type Manager,
  type Metrics,
  OptionalInformer,
  type OptionalKind,
  silentLogger,
  sleep,
} from "@berg/kube";
import { FakeClock, refusal, settle } from "@berg/kube/testing";
import { type ChallengeInstance, ChallengeInstances, Challenges } from "@berg/resources";
import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { containerOf } from "./builders/testing/blueprints.ts";
import { addInstanceController } from "./controller.ts";
import { home, makeChallenge, makeInstance, makeSettings, startOfTest } from "./testing/make-objects.ts";
import { ModelClient, type ModelRequest } from "./testing/model-client.ts";
import { type ModelChange, ModelCluster } from "./testing/model-cluster.ts";
import { ModelInformer, type ModelSelection } from "./testing/model-informer.ts";

const minutes = 60_000;
const hours = 60 * minutes;
let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort());

async function begin() {
  const cluster = new ModelCluster();
  const model = new ModelClient(cluster);
  const clock = new FakeClock(startOfTest);
  Object.defineProperty(cluster, "now", { get: () => clock.now() });
  const informers: ModelInformer<KubeObject>[] = [];
  const controllers: Controller[] = [];
  const logged: string[] = [];
  const note = (fields: object) => void logged.push(JSON.stringify(fields));
  const log: Logger = { ...silentLogger, warn: note, error: note, child: () => log };
  const random = () => 0.5;
  const informer = (type: ResourceType, options?: ModelSelection<KubeObject>) => {
    const made = new ModelInformer(cluster, type, options);
    informers.push(made);
    return made.asInformer();
  };
  const manager = {
    client: model.asClient(),
    recorder: { event() {} },
    informer,
    optionalInformer: (kind: OptionalKind) =>
      new OptionalInformer(kind, { find: async () => undefined } as never, informer),
    addController: (options: ControllerOptions) => {
      const controller = new Controller(options, { clock, random, log });
      controllers.push(controller);
      return controller;
    },
  } as unknown as Manager;
  const metrics = { registry: new Registry() } as unknown as Metrics;
  const timing = { clock, serverClock: clock, random };
  addInstanceController(manager, { settings: makeSettings(), namespace: home, metrics, log, ...timing });
  const { signal } = stop;
  for (const controller of controllers) void controller.run(signal, signal);

  /** Everybody works as fast as they can, and what changes is seen at once. */
  const pass = async (ms: number, stepMs = 50) => {
    for (const end = clock.now() + ms; clock.now() < end; ) {
      for (let busy = true; busy; ) {
        await settle();
        busy = cluster.tick();
        for (const informer of informers) busy = informer.deliver() || busy;
      }
      await clock.advance(Math.min(stepMs, end - clock.now()));
    }
  };
  const find = () => cluster.find<ChallengeInstance>(ChallengeInstances, `${home}/a`);
  const edit = (change: (draft: Stored<ChallengeInstance>) => void) =>
    cluster.edit("hand", find() as Stored<ChallengeInstance>, change);
  cluster.create("hand", Challenges, makeChallenge({ containers: [containerOf("web")] }));
  cluster.create("hand", ChallengeInstances, makeInstance("a").createdAt(startOfTest).object);
  return { cluster, model, clock, logged, pass, find, edit };
}

/** When each try of what is to fail came. */
function failing({ model, clock }: Awaited<ReturnType<typeof begin>>, error: (tries: number) => Error) {
  const at: number[] = [];
  model.beforeWrite = ({ verb, kind }: ModelRequest) => {
    if (kind !== Deployments.kind || verb === "delete") return;
    at.push(clock.now());
    throw error(at.length);
  };
  return at;
}

const statusWrites = ({ model }: { model: ModelClient }) => model.writes.filter(({ verb }) => verb === "update").length;

/** Why an instance ended, and when its namespace was deleted. */
function endOf({ changes }: ModelCluster) {
  const last = changes.findLast(({ object }) => object.kind === ChallengeInstances.kind)?.object as ChallengeInstance;
  const namespace = changes.find(({ object }) => object.kind === "Namespace" && object.metadata.deletionTimestamp);
  return { reason: last.status?.terminationReason, at: namespace?.object.metadata.deletionTimestamp };
}

describe("what the server refuses", () => {
  test("in other words each time is said once, and tried ever more rarely", async () => {
    const world = await begin();
    const at = failing(world, (tries) => refusal(403, { reason: "Forbidden", message: `denied (request ${tries})` }));
    await world.pass(2000);
    const before = statusWrites(world);
    await world.pass(10 * minutes, 1000);
    expect(at.length).toBeGreaterThan(15);
    expect(at.length).toBeLessThan(40);
    expect(statusWrites(world)).toBe(before);
    expect(world.find()?.status?.message).toBe("The Deployment web cannot be made: denied (request 1)");
  });

  test("for other reasons each time is tried no more than once in 5 s, though each is said", async () => {
    const world = await begin();
    const at = failing(world, (tries) =>
      tries % 2 ? refusal(403, { reason: "Forbidden", message: "no" }) : refusal(400, { message: "no" }),
    );
    await world.pass(5 * minutes, 100);
    const gaps = at.slice(10).map((time, i) => time - (at[i + 9] ?? 0));
    expect(gaps.length).toBeGreaterThan(5);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5000);
  });

  test("goes on within a minute after the organiser has mended it, without any sign of that", async () => {
    const world = await begin();
    failing(world, () => refusal(403, { reason: "Forbidden", message: "no" }));
    await world.pass(hours, 1000);
    expect(world.find()?.status).toMatchObject({ phase: "Creating", reason: "Forbidden" });
    world.model.beforeWrite = () => {};
    await world.pass(minutes, 1000);
    expect(world.find()?.status?.phase).toBe("Running");
  });

  test("is not quoted in the log", async () => {
    const world = await begin();
    failing(world, () => refusal(400, { message: "env FLAG=flag{canary} is not allowed" }));
    await world.pass(2000);
    expect(world.logged.length).toBeGreaterThan(1);
    expect(world.logged.join()).toContain("cannot make the Deployment web: Refused");
    expect(world.logged.join()).not.toContain("canary");
    expect(world.find()?.status?.message).toContain("is not allowed");
  });
});

describe("a running instance that cannot be repaired", () => {
  async function broken(error: () => Error) {
    const world = await begin();
    await world.pass(1000);
    expect(world.find()?.status?.phase).toBe("Running");
    failing(world, error);
    const deployment = world.cluster.all("Deployment")[0] as Stored<KubeObject>;
    world.cluster.delete("hand", Deployments, keyOf(deployment));
    return world;
  }
  const errors: [string, () => Error][] = [
    ["the connection is lost", () => new Error("socket hang up")],
    ["the server has trouble", () => refusal(500)],
    ["its kind is gone", () => refusal(404, { message: "404 page not found" })],
    ["a webhook denies it", () => refusal(400, { message: "no" })],
  ];

  test.each(errors)("where %s is renewed, tells how it is, warns and ends in time", async (_, error) => {
    const { pass, find, edit, clock, cluster } = await broken(error);
    edit(({ spec }) => {
      spec.renewals = 1;
    });
    await pass(10 * minutes, 1000);
    expect(find()?.status).toMatchObject({ phase: "Running", renewals: 1, expiresSoon: false });
    expect(findCondition(find()?.status?.conditions, "PodsReady")?.status).toBe("False");
    const end = parseTime(find()?.status?.expiresAt ?? "");
    expect(end).toBeGreaterThan(startOfTest + 2 * hours);
    await pass(end - 5 * minutes - clock.now(), 1000);
    await pass(1000);
    expect(find()?.status?.expiresSoon).toBe(true);
    await pass(end - clock.now(), 1000);
    await pass(1000);
    expect(endOf(cluster)).toEqual({ reason: "Timeout", at: formatTime(end) });
  });

  test("says so", async () => {
    const { pass, find } = await broken(() => refusal(404, { message: "404 page not found" }));
    await pass(1000);
    expect(findCondition(find()?.status?.conditions, "DeploymentsCreated")).toMatchObject({
      status: "False",
      reason: "KindMissing",
    });
  });
});

test("an end whose warning could not be written still comes in time", async () => {
  const { pass, find, model, clock, cluster } = await begin();
  await pass(1000);
  const end = parseTime(find()?.status?.expiresAt ?? "");
  await pass(end - 6 * minutes - clock.now(), 1000);
  let isBroken = true;
  model.beforeWrite = () => {
    if (isBroken) throw new Error("socket hang up");
  };
  cluster.delete("hand", Deployments, keyOf(cluster.all("Deployment")[0] as Stored<KubeObject>));
  await pass(end - 100 - clock.now(), 1000);
  expect(find()?.status?.expiresSoon).toBe(false);
  isBroken = false;
  await pass(1000);
  expect(endOf(cluster)).toEqual({ reason: "Timeout", at: formatTime(end) });
});

test("one whose time ran out while nothing could be written ends within a minute of when it can", async () => {
  const { pass, find, model, clock, cluster } = await begin();
  await pass(1000);
  const end = parseTime(find()?.status?.expiresAt ?? "");
  await pass(end - 1000 - clock.now(), 1000);
  const tries: number[] = [];
  model.beforeWrite = () => {
    tries.push(clock.now());
    throw new Error("socket hang up");
  };
  await pass(hours, 1000);
  const late = tries.filter((at) => at > end + 10 * minutes);
  const gaps = late.slice(1).map((at, i) => at - (late[i] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(minutes);
  // Nor is a server that has trouble asked all the time.
  expect(late.length).toBeLessThan(400);
  model.beforeWrite = () => {};
  await pass(minutes, 1000);
  expect(endOf(cluster).reason).toBe("Timeout");
  expect(find()).toBeUndefined();
});

test("where only its status cannot be written, it ends in time, and its server has rest", async () => {
  const { pass, find, model, clock, cluster } = await begin();
  await pass(1000);
  const end = parseTime(find()?.status?.expiresAt ?? "");
  let tries = 0;
  model.beforeWrite = ({ verb }) => {
    if (verb !== "update") return;
    tries++;
    throw refusal(503, { reason: "ServiceUnavailable" });
  };
  cluster.collectorIsBusy = true;
  await pass(end - clock.now(), 1000);
  await pass(2000);
  expect(cluster.all("Deployment")).toEqual([]);
  // Nobody else deletes the pods, and nothing that changes asks for a look.
  await pass(28_000, 1000);
  expect(cluster.all("Namespace")).toEqual([]);
  const before = tries;
  await pass(10 * minutes, 1000);
  expect(tries - before).toBeLessThan(40);
  model.beforeWrite = () => {};
  await pass(minutes, 1000);
  expect(endOf(cluster).reason).toBe("Timeout");
});

describe("while a server does not answer those who start", () => {
  const never = new Promise<void>(() => {});

  /** One runs, and forty more want to. What returns nothing is done at once. */
  async function rush(isHeld: (request: ModelRequest) => Promise<void> | undefined) {
    const begun = await begin();
    const { pass, find, model, clock } = begun;
    await pass(1000);
    const end = parseTime(find()?.status?.expiresAt ?? "");
    await pass(end - 1000 - clock.now(), 1000);
    let held = 0;
    model.beforeWrite = (request) => {
      if (request.kind !== "Namespace" || request.verb === "delete") return isHeld(request);
      held++;
      return never;
    };
    return { ...begun, start: () => startMany(begun, 40), held: () => held };
  }

  const isOfEnd = ({ verb, kind }: ModelRequest) => verb === "delete" && kind === Deployments.kind;

  test("an end still finds a worker", async () => {
    const { pass, find, cluster, start, held } = await rush(() => undefined);
    start();
    await pass(900);
    expect([held(), cluster.all("Deployment").length]).toEqual([24, 1]);
    await pass(600);
    expect(endOf(cluster).reason).toBe("Timeout");
    expect([find(), ...cluster.all("Deployment")]).toEqual([undefined]);
  });

  test.each([
    { how: "only a few start", stoppedForMs: 100, wantHeld: [4, 4] },
    { how: "and that takes long, nobody for a second, and then one at a time", stoppedForMs: 900, wantHeld: [0, 1] },
    { how: "and cannot be stopped, all start again", stoppedForMs: 11_000, wantHeld: [24, 24] },
  ])("and one stops, $how", async ({ stoppedForMs, wantHeld }) => {
    const { pass, find, start, held } = await rush((request) => (isOfEnd(request) ? never : undefined));
    await pass(1000 + stoppedForMs);
    expect(find()?.status?.phase).toBe("Terminating");
    start();
    await pass(200);
    const atFirst = held();
    await pass(1000);
    expect([atFirst, held()]).toEqual(wantHeld);
  });

  test("and one takes long to stop, what becomes of those that run is told all the same", async () => {
    const { pass, model, cluster, clock, start, held } = await rush((request) =>
      isOfEnd(request) ? never : undefined,
    );
    const { beforeWrite } = model;
    model.beforeWrite = () => {};
    cluster.create("hand", ChallengeInstances, makeInstance("runs", "owner").createdAt(clock.now()).object);
    await pass(500);
    model.beforeWrite = beforeWrite;
    await pass(1000);
    start();
    await pass(100);
    cluster.scripts.set("web", "unready");
    await pass(100);
    const running = cluster.find<ChallengeInstance>(ChallengeInstances, `${home}/runs`);
    expect(findCondition(running?.status?.conditions, "Healthy")?.status).toBe("False");
    expect(held()).toBe(0);
  });

  test("nor when they try again, what becomes of those that run is told all the same", async () => {
    const begun = await begin();
    const { pass, find, model, cluster, clock } = begun;
    await pass(1000);
    let held = 0;
    model.beforeWrite = async ({ verb, kind }) => {
      if (verb !== "create" || kind !== "LimitRange") return;
      held++;
      await sleep(clock, 30_000, stop.signal);
      throw refusal(500, { reason: "InternalError" });
    };
    startMany(begun, 40);
    await pass(40_000);
    expect(held).toBeGreaterThan(40);
    cluster.scripts.set("web", "unready");
    await pass(1000);
    expect(findCondition(find()?.status?.conditions, "Healthy")?.status).toBe("False");
  });

  test("and one stopped at last, one starts at once, and all others ten seconds later", async () => {
    const stopped = Promise.withResolvers<void>();
    const { pass, start, held, cluster } = await rush((request) => (isOfEnd(request) ? stopped.promise : undefined));
    await pass(1500);
    start();
    await pass(100);
    expect([held(), cluster.all("Deployment").length]).toEqual([0, 1]);
    stopped.resolve();
    await pass(100);
    expect([held(), cluster.all("Deployment").length]).toEqual([1, 0]);
    await pass(10_000);
    expect(held()).toBe(24);
  });
});

test("where a server is slow, most of those that have begun run before the last begins", async () => {
  const begun = await begin();
  const { pass, model, clock, cluster } = begun;
  await pass(1000);
  model.beforeWrite = () => sleep(clock, 100, stop.signal);
  startMany(begun, 100);
  await pass(minutes);
  const begins = ({ type, object }: ModelChange) => type === "added" && object.kind === "Namespace";
  const lastBegan = cluster.changes.findLastIndex(begins);
  expect(namesIn("Running", cluster.changes)).toHaveLength(101);
  expect(namesIn("Running", cluster.changes.slice(0, lastBegan)).length).toBeGreaterThan(80);
});

test("where a server is slow, a hundred that end at once have all begun to before the first is taken down", async () => {
  const begun = await begin();
  const { pass, model, clock, cluster, find } = begun;
  startMany(begun, 100);
  await pass(1000);
  await pass(parseTime(find()?.status?.expiresAt ?? "") - 1000 - clock.now(), 10_000);
  model.beforeWrite = () => sleep(clock, 100, stop.signal);
  await pass(3000);
  expect(cluster.all("Deployment")).toEqual([]);
  const isTakenDown = ({ type, object }: ModelChange) => type === "deleted" && object.kind === Deployments.kind;
  const before = cluster.changes.slice(0, cluster.changes.findIndex(isTakenDown));
  expect(namesIn("Terminating", before)).toHaveLength(101);
});

/** Of the instances that were in this phase at one of these changes. */
function namesIn(phase: string, changes: ModelChange[]): string[] {
  const instances = changes.map(({ object }) => object as ChallengeInstance & KubeObject);
  const inPhase = instances.filter(({ kind, status }) => kind === ChallengeInstances.kind && status?.phase === phase);
  return [...new Set(inPhase.map(({ metadata }) => metadata.name))];
}

function startMany({ cluster, clock }: Awaited<ReturnType<typeof begin>>, count: number): void {
  for (let n = 0; n < count; n++) {
    const { object } = makeInstance(`b${n}`, `owner-${n}`).createdAt(clock.now());
    cluster.create("hand", ChallengeInstances, object);
  }
}
