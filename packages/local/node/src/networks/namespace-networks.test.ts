/** The engine here is a stand-in, for what goes wrong at the worst moment; the real one is in *.containers.test.ts. */
import { silentLogger } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { type Engine, EngineError, type Network, type NetworkCreate } from "@berg/local-engine";
import { expect, test } from "vitest";
import { NamespaceNetworks } from "./namespace-networks.ts";
import { readPool } from "./pool.ts";

function start(pool = "10.202.0.0/16") {
  const clock = new FakeClock();
  const there = new Map<string, Network>();
  const given = {
    clock,
    there,
    log: [] as string[],
    pods: new Set<string>(),
    guests: new Set<string>(),
    warnings: [] as string[],
    isInUse: false,
    /** How often it was asked to remove one. */
    asked: 0,
    /** What is said to each create, the first first. */
    refusals: [] as Error[],
    beforeCreate: async () => {},
  };
  const engine = {
    async createNetwork(body: NetworkCreate) {
      await given.beforeCreate();
      const refusal = given.refusals.shift();
      if (refusal) throw refusal;
      if (there.has(body.name)) throw new EngineError("there already", 409);
      given.log.push("create");
      there.set(body.name, { ...body, id: `id-${body.name}`, subnets: [body.subnet ?? ""] } as unknown as Network);
      return { id: `id-${body.name}` };
    },
    inspectNetwork: async (name: string) => there.get(name),
    listNetworks: async () => [...there.values()],
    async removeNetwork(name: string) {
      given.asked++;
      if (given.isInUse) throw new EngineError("network is being used", 409);
      given.log.push("remove");
      there.delete(name);
    },
  } as unknown as Engine;
  const networks = new NamespaceNetworks({
    engine,
    node: "test",
    pool: readPool(pool),
    clock,
    log: { ...silentLogger, warn: (_, message) => void given.warnings.push(message) },
    hasPods: (namespace) => given.pods.has(namespace),
    hasGuests: (namespace) => given.guests.has(namespace),
    onChange: async () => void given.log.push(`rules for ${networks.list().length}`),
  });
  return { networks, given };
}

test("its rules hold before a network is given out", async () => {
  const { networks, given } = start();
  const name = await networks.attach("alice");
  expect(name).toMatch(/^berg-[0-9a-f]{10}-alice$/);
  expect(given.log).toEqual(["create", "rules for 1"]);
  expect(given.there.get(name)).toMatchObject({
    labels: { "berg.local/node": "test", "berg.local/namespace": "alice" },
    bridge: networks.bridgeOf("alice"),
  });
});

test("two pods that come at once share one network", async () => {
  const { networks, given } = start();
  const [one, two] = await Promise.all([networks.attach("alice"), networks.attach("alice")]);
  expect(one).toBe(two);
  expect(given.log.filter((line) => line === "create")).toEqual(["create"]);
});

test("a subnet that the engine refuses is left for the next, but not without end", async () => {
  const { networks, given } = start();
  given.refusals = [new EngineError("subnet is used", 500), new EngineError("subnet is used", 409)];
  await networks.attach("alice");
  given.refusals = Array.from({ length: 20 }, () => new EngineError("no", 500));
  await expect(networks.attach("bob")).rejects.toThrow("no");
  expect(given.refusals.length).toBe(12);
});

test("an engine that does not answer is not asked again for other subnets", async () => {
  const { networks, given } = start();
  given.refusals = [new EngineError("cannot be reached", 0), new EngineError("again", 0)];
  await expect(networks.attach("alice")).rejects.toThrow("cannot be reached");
  expect(given.refusals.length).toBe(1);
});

test("a pool that is used up says so", async () => {
  const { networks } = start("10.202.7.0/24");
  await networks.attach("alice");
  await expect(networks.attach("bob")).rejects.toThrow(
    "no network is left for the namespace bob: all of 10.202.7.0/24 is taken",
  );
});

test("a network goes some time after the last that was attached, unless a pod has come", async () => {
  const { networks, given } = start();
  await networks.attach("alice");
  await given.clock.advance(14_000);
  await networks.attach("alice");
  await given.clock.advance(14_000);
  expect(given.there.size).toBe(1);
  given.pods.add("alice");
  await given.clock.advance(60_000);
  expect(given.there.size).toBe(1);
  given.pods.clear();
  networks.removeLater("alice");
  await given.clock.advance(15_000);
  expect([given.there.size, networks.list()]).toEqual([0, []]);
  expect(given.log.slice(-2)).toEqual(["remove", "rules for 0"]);
});

test("a network that cannot be removed keeps its rules, and is tried again", async () => {
  const { networks, given } = start();
  await networks.attach("alice");
  given.isInUse = true;
  await networks.release("alice");
  expect(networks.list()).toHaveLength(1);
  expect(given.warnings).toHaveLength(1);
  given.isInUse = false;
  await given.clock.advance(15_000);
  expect(networks.list()).toEqual([]);
});

test("a network that a guest is on is tried again now and then, without a warning", async () => {
  const { networks, given } = start();
  await networks.attach("alice");
  given.guests.add("alice");
  given.isInUse = true;
  const before = given.asked;
  await given.clock.advance(60_000);
  expect(given.asked - before).toBe(4);
  expect(given.warnings).toEqual([]);
  expect(networks.list()).toHaveLength(1);
  given.isInUse = false;
  given.guests.clear();
  await given.clock.advance(15_000);
  expect(networks.list()).toEqual([]);
});

test("a pod that comes while the network goes gets a new one", async () => {
  const { networks, given } = start();
  await networks.attach("alice");
  const [, name] = await Promise.all([networks.release("alice"), networks.attach("alice")]);
  expect(given.there.has(name)).toBe(true);
  expect(networks.bridgeOf("alice")).toBeDefined();
});

test("one that somebody else removed is made anew, one of an earlier run is found", async () => {
  const { networks, given } = start();
  const name = await networks.attach("alice");
  given.there.clear();
  expect(await networks.attach("alice")).toBe(name);
  expect(given.there.size).toBe(1);
  const { networks: next, given: later } = start();
  later.there.set(name, given.there.get(name) as Network);
  await next.adopt();
  expect(next.bridgeOf("alice")).toBe(networks.bridgeOf("alice"));
  expect(await next.attach("alice")).toBe(name);
  expect(later.log).not.toContain("create");
});

test("after the stop none is made, and no timer is left", async () => {
  const { networks, given } = start();
  await networks.attach("alice");
  await networks.stop();
  expect(given.clock.timers).toBe(0);
  await expect(networks.attach("bob")).rejects.toThrow("the node stops");
  await networks.release("alice");
  expect(given.there.size).toBe(0);
});
