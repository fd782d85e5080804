/** With a stand-in for the engine. */
import { setTimeout as wait } from "node:timers/promises";
import { Namespaces } from "@berg/kube";
import { EngineError } from "@berg/local-engine";
import { ContainerNetworks, labels } from "@berg/resources";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { nameTakenReason, networkLabels, networkTexts } from "../vocabulary.ts";
import type { StartPlane } from "./control-planes.ts";
import { FakeEngine } from "./fake-engine.ts";
import { makeNetwork } from "./make-network.ts";
import { impatientClock, type Place, type RunningControllers, startPlace } from "./place.ts";

export function describeNetworks(startPlane: StartPlane): void {
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

  const soon = { timeout: 40_000, interval: 50 };
  let place: Place;
  let engine: FakeEngine;
  let running: RunningControllers;

  beforeAll(async () => {
    place = await startPlace(startPlane);
  });
  afterAll(() => place[Symbol.asyncDispose]());
  beforeEach(async () => {
    engine = new FakeEngine();
    running = await place.startControllers(engine.engine);
  });
  afterEach(async () => {
    engine.comeBack();
    engine.refuse = () => undefined;
    engine.containers.clear();
    // Else those of namespaces are shown anew as often as they are removed.
    engine.networks.clear();
    for (const { metadata } of (await place.client.list(ContainerNetworks)).items)
      await place.client.delete(ContainerNetworks, "", metadata.name);
    await vi.waitFor(async () => expect((await place.client.list(ContainerNetworks)).items).toEqual([]), soon);
    await running[Symbol.asyncDispose]();
  });

  const untilState = (name: string, state: string) =>
    vi.waitFor(async () => expect(await place.stateOf(name)).toBe(state), soon);
  const containersOf = async (name: string) => (await place.get(name))?.status?.containers;

  describe("a session's network", () => {
    test("is made under a name of its own, told of, and goes with its object", async () => {
      const { metadata } = await place.create("lab", { ipv6: true });
      await untilState("lab", "Running");
      const name = `berg-lab-${metadata.uid.slice(0, 8)}`;
      expect([...engine.networks.keys()]).toEqual([name]);
      expect((await place.get("lab"))?.status).toMatchObject({ id: `id-${name}`, networkName: name, ipv6: true });
      expect(engine.networks.get(name)?.labels).toEqual({
        [networkLabels.node]: "here",
        [networkLabels.name]: "lab",
        [networkLabels.uid]: metadata.uid,
      });
      await vi.waitFor(async () => expect(await place.eventsOf("lab")).toContain("NetworkRunning"), soon);
      await place.client.delete(ContainerNetworks, "", "lab");
      await untilState("lab", "gone");
      expect(engine.networks.size).toBe(0);
    });

    test("whose name is taken is not made, and what has the name stays when the object goes", async () => {
      engine.networks.set("lab", makeNetwork("lab"));
      await place.create("lab", { networkName: "lab" });
      await untilState("lab", `FailedToStart: ${networkTexts.taken("lab")}`);
      await place.client.delete(ContainerNetworks, "", "lab");
      await untilState("lab", "gone");
      expect(engine.networks.has("lab")).toBe(true);
    });

    test("is made as soon as its name is free", async () => {
      engine.networks.set("lab", makeNetwork("lab"));
      await place.create("lab", { networkName: "lab" });
      await untilState("lab", `FailedToStart: ${networkTexts.taken("lab")}`);
      engine.networks.delete("lab");
      await untilState("lab", "Running");
    });

    test("that containers are on is tried again when its object goes, and says why it is there", async () => {
      await place.create("lab", { networkName: "lab" });
      await untilState("lab", "Running");
      engine.connect("c", "lab");
      await place.client.delete(ContainerNetworks, "", "lab");
      await untilState("lab", `Running: ${networkTexts.notRemoved("lab", "containers are on it")}`);
      const before = running.writes;
      const tries = engine.asked.length;
      await vi.waitFor(() => expect(engine.asked.length).toBeGreaterThan(tries + 1), soon);
      expect(running.writes).toBe(before);
      engine.destroy("c");
      await untilState("lab", "gone");
      expect(engine.networks.size).toBe(0);
    });

    test("that the engine does not make says so, and is tried again", async () => {
      engine.refuse = (what) => (what === "create lab" ? new EngineError("no subnet is left", 500) : undefined);
      await place.create("lab", { networkName: "lab" });
      await untilState("lab", `FailedToStart: ${networkTexts.notMade("lab", "no subnet is left")}`);
      engine.refuse = () => undefined;
      await untilState("lab", "Running");
    });

    test("whose making was answered by nobody is known as its own", async () => {
      engine.refuse = (what) => {
        if (what !== "create lab" || engine.networks.has("lab")) return undefined;
        engine.refuse = () => undefined;
        void engine.createNetwork({ name: "lab", labels: { [networkLabels.uid]: uid } });
        return new EngineError("no answer", 0);
      };
      const { uid } = (await place.create("lab", { networkName: "lab" })).metadata;
      await untilState("lab", "Running");
      expect(engine.asked).toEqual(["create lab", "create lab"]);
    });

    test("that somebody removed is not made anew", async () => {
      await place.create("lab", { networkName: "lab" });
      await untilState("lab", "Running");
      engine.networks.clear();
      engine.tellOfNetwork({ action: "destroy", networkId: "id-lab", containerId: "" });
      await untilState("lab", `Removed: ${networkTexts.removed("lab")}`);
      expect(engine.asked).toEqual(["create lab"]);
    });

    test("of an object that was deleted while no controller ran is removed by the next", async () => {
      await place.create("lab", { networkName: "lab" });
      await untilState("lab", "Running");
      await running[Symbol.asyncDispose]();
      await place.client.delete(ContainerNetworks, "", "lab");
      expect(await place.stateOf("lab")).toBe("Running");
      running = await place.startControllers(engine.engine);
      await untilState("lab", "gone");
      expect(engine.networks.size).toBe(0);
    });
  });

  describe("other networks", () => {
    test("a persistent one is made, and stays; another object adopts it", async () => {
      await place.create("one", { networkName: "lab", mode: "persistent" });
      await untilState("one", "Running");
      await place.client.delete(ContainerNetworks, "", "one");
      await untilState("one", "gone");
      expect(engine.networks.has("lab")).toBe(true);
      await place.create("two", { networkName: "lab", mode: "persistent" });
      await untilState("two", "Running");
      expect(engine.asked).toEqual(["create lab"]);
    });

    test("an existing one is waited for, found, missed and found again, and never touched", async () => {
      await place.create("lab", { networkName: "lab", mode: "existing" });
      await untilState("lab", `NotFound: ${networkTexts.notFound("lab")}`);
      engine.networks.set("lab", makeNetwork("lab"));
      await untilState("lab", "Running");
      engine.networks.delete("lab");
      engine.tellOfNetwork({ action: "destroy", networkId: "id-lab", containerId: "" });
      await untilState("lab", `Removed: ${networkTexts.removedAndAwaited("lab")}`);
      engine.networks.set("lab", makeNetwork("lab"));
      await untilState("lab", "Running");
      await place.client.delete(ContainerNetworks, "", "lab");
      await untilState("lab", "gone");
      expect(engine.asked).toEqual([]);
    });

    test("a network whose id begins with the name is another one", async () => {
      engine.networks.set("abc", makeNetwork("long-name"));
      await place.create("lab", { networkName: "abc", mode: "existing" });
      await untilState("lab", `NotFound: ${networkTexts.notFound("abc")}`);
    });
  });

  describe("status", () => {
    test("follows containers that come and go, and is not written at rest", async () => {
      await place.create("lab", { networkName: "lab" });
      await place.create("other", { networkName: "other" });
      for (const name of ["lab", "other"]) await untilState(name, "Running");
      engine.connect("b", "lab");
      engine.connect("a", "lab");
      await vi.waitFor(async () => expect(await containersOf("lab")).toEqual(["a", "b"]), soon);
      engine.destroy("a");
      await vi.waitFor(async () => expect(await containersOf("lab")).toEqual(["b"]), soon);
      expect(await containersOf("other")).toEqual([]);
      engine.containers.set("c", new Set(["other"]));
      engine.tellOfNetwork({ action: "connect", networkId: "", containerId: "c" });
      await vi.waitFor(async () => expect(await containersOf("other")).toEqual(["c"]), soon);
      const before = running.writes;
      for (let i = 0; i < 20; i++) engine.tell({ action: "start", containerId: "b", labels: {} });
      await wait(1500);
      expect(running.writes).toBe(before);
    });

    test("stays as it is while the engine is away, says so, and costs one write", async () => {
      await place.create("lab", { networkName: "lab" });
      await untilState("lab", "Running");
      engine.connect("c", "lab");
      await vi.waitFor(async () => expect(await containersOf("lab")).toEqual(["c"]), soon);
      await vi.waitFor(() => expect(engine.listeners).toBe(2), soon);
      const before = running.writes;
      engine.goAway();
      await untilState("lab", `Running: ${networkTexts.engineAway}`);
      const looks = engine.looks;
      await vi.waitFor(() => expect(engine.looks).toBeGreaterThan(looks + 3), soon);
      expect(running.writes).toBe(before + 1);
      expect(await containersOf("lab")).toEqual(["c"]);
      engine.containers.clear();
      engine.comeBack();
      await untilState("lab", "Running");
      expect(await containersOf("lab")).toEqual([]);
    });

    test("of an object that is made while the engine is away is pending until it is back", async () => {
      engine.goAway();
      await place.create("lab", { networkName: "lab" });
      await untilState("lab", `Pending: ${networkTexts.engineAway}`);
      engine.comeBack();
      await untilState("lab", "Running");
    });
  });

  test("networks of objects that are gone are removed, of this Berg and made for a session alone", async () => {
    const made = (name: string, more: object) =>
      engine.networks.set(name, makeNetwork(name, { [networkLabels.node]: "here", ...more }));
    await place.create("lab", { networkName: "lab" });
    await untilState("lab", "Running");
    await running[Symbol.asyncDispose]();
    engine.asked.length = 0;
    made("used", { [networkLabels.uid]: "gone" });
    made("left", { [networkLabels.uid]: "gone" });
    made("persistent", {});
    made("elsewhere", { [networkLabels.node]: "there", [networkLabels.uid]: "gone" });
    engine.containers.set("c", new Set(["used"]));
    running = await place.startControllers(engine.engine);
    await vi.waitFor(() => expect(engine.asked).toEqual(["remove used", "remove left"]), soon);
    await vi.waitFor(
      () => expect([...engine.networks.keys()]).toEqual(["lab", "used", "persistent", "elsewhere"]),
      soon,
    );
  });

  describe("the network of a namespace", () => {
    beforeEach(async () => {
      await running[Symbol.asyncDispose]();
      engine.lists = 0;
      running = await place.startControllers(engine.engine, { clock: impatientClock });
      // For those that are there, and for what is left.
      await vi.waitFor(() => expect(engine.lists).toBeGreaterThan(1), soon);
    });

    const appear = (namespace: string, node = "here") => {
      const marks = { "berg.local/node": node, "berg.local/namespace": namespace };
      engine.networks.set(`berg-0-${namespace}`, makeNetwork(`berg-0-${namespace}`, marks));
      // As its first pod comes.
      engine.connect(`pod-of-${namespace}`, `berg-0-${namespace}`);
    };

    test("is shown from when it is there until it is gone", async () => {
      await place.namespace("alice");
      appear("alice");
      await untilState("alice", "Running");
      expect(await place.get("alice")).toMatchObject({
        metadata: { labels: { [labels.networkOfNamespace]: "alice" } },
        spec: { mode: "existing", networkName: "berg-0-alice" },
        status: { containers: ["pod-of-alice"] },
      });
      await place.client.delete(ContainerNetworks, "", "alice");
      await untilState("alice", "Running");
      engine.networks.clear();
      engine.destroy("pod-of-alice");
      await untilState("alice", "gone");
      expect(engine.asked).toEqual([]);
    });

    test("is shown as soon as it is there, also where the namespace has been there for long", async () => {
      expect((await place.client.get(Namespaces, "", "alice")).status?.phase).toBe("Active");
      appear("alice");
      await untilState("alice", "Running");
    });

    test("is shown no longer when the namespace goes, though it is still there", async () => {
      await place.client.create(Namespaces, { metadata: { name: "bob", finalizers: ["test.berg/hold"] } });
      appear("bob");
      await untilState("bob", "Running");
      await place.client.delete(Namespaces, "", "bob");
      await untilState("bob", "gone");
      expect(engine.networks.has("berg-0-bob")).toBe(true);
      const operations = [{ op: "remove", path: "/metadata/finalizers" }];
      await place.client.patch(Namespaces, "", "bob", { type: "json", operations });
    });

    test("of another node, or of no namespace of ours, is not shown", async () => {
      await place.namespace("carol");
      appear("carol", "there");
      appear("nobody");
      await place.namespace("dave");
      appear("dave");
      await untilState("dave", "Running");
      expect(await place.stateOf("carol")).toBe("gone");
      expect(await place.stateOf("nobody")).toBe("gone");
    });

    test("is not shown where somebody else's object has its name, which is left and told of once", async () => {
      await place.create("erin", { networkName: "own" });
      await untilState("erin", "Running");
      await place.namespace("erin");
      appear("erin");
      await vi.waitFor(async () => expect(await place.eventsOf("erin")).toContain(nameTakenReason), soon);
      for (let i = 0; i < 3; i++) {
        const before = engine.lists;
        engine.connect("other", "berg-0-erin");
        await vi.waitFor(() => expect(engine.lists).toBeGreaterThan(before), soon);
      }
      await running[Symbol.asyncDispose]();
      const told = (await place.eventsOf("erin")).filter((reason) => reason === nameTakenReason);
      expect(told).toEqual([nameTakenReason]);
      running = await place.startControllers(engine.engine);
      expect((await place.get("erin"))?.spec.networkName).toBe("own");
      await place.client.delete(ContainerNetworks, "", "erin");
      await vi.waitFor(async () => expect((await place.get("erin"))?.spec.networkName).toBe("berg-0-erin"), soon);
    });
  });
}
