/** On real engines, with the embedded control plane. */
import { ContainerNetworks } from "@berg/resources";
import { label, onEachEngine } from "@berg/test/engine";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Place, type RunningControllers, startPlace } from "./testing/place.ts";
import { networkLabels, networkTexts } from "./vocabulary.ts";

const soon = { timeout: 40_000, interval: 100 };

onEachEngine((given) => {
  let place: Place;
  let running: RunningControllers;
  // Those of another test on this machine are not looked at.
  const node = `test-${process.pid}`;
  const name = (text: string) => `berg-test-${process.pid}-${text}`;

  beforeAll(async () => {
    place = await startPlace();
  });
  afterAll(() => place?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    running = await place.startControllers(given.engine, { node });
  });
  afterEach(async () => {
    for (const { id } of await given.engine.listContainers({ [label]: "yes" })) await given.engine.removeContainer(id);
    for (const { metadata } of (await place.client.list(ContainerNetworks)).items)
      await place.client.delete(ContainerNetworks, "", metadata.name);
    await vi.waitFor(async () => expect((await place.client.list(ContainerNetworks)).items).toEqual([]), soon);
    await running[Symbol.asyncDispose]();
    for (const network of await given.engine.listNetworks({}))
      if (network.name.startsWith(name(""))) await given.engine.removeNetwork(network.name);
  });

  const untilState = (object: string, state: string) =>
    vi.waitFor(async () => expect(await place.stateOf(object)).toBe(state), soon);
  const untilContainers = (object: string, ids: string[]) =>
    vi.waitFor(async () => expect((await place.get(object))?.status?.containers).toEqual(ids.toSorted()), soon);
  const find = (network: string) => given.engine.inspectNetwork(network);

  test("a session's network is made, follows its containers, and goes when they have gone", async () => {
    const { uid } = (await place.create("lab")).metadata;
    await untilState("lab", "Running");
    const made = `berg-lab-${uid.slice(0, 8)}`;
    const { id, driver, subnets, gateways } = (await find(made)) ?? {};
    expect((await place.get("lab"))?.status).toMatchObject({
      networkName: made,
      id,
      driver,
      subnets,
      gateways,
      ipv6: false,
    });
    expect([driver, subnets?.length, gateways?.length]).toEqual(["bridge", 1, 1]);

    const one = await given.run("sleep 1000", { HostConfig: { NetworkMode: made } });
    await untilContainers("lab", [one]);
    await given.engine.createNetwork({ name: name("first"), labels: {} });
    const two = await given.run("sleep 1000", { HostConfig: { NetworkMode: name("first") } });
    await given.engine.connectNetwork(made, two);
    await untilContainers("lab", [one, two]);
    await given.engine.disconnectNetwork(made, two);
    await untilContainers("lab", [one]);

    await place.client.delete(ContainerNetworks, "", "lab");
    await vi.waitFor(
      async () => expect(await place.stateOf("lab")).toMatch(/^Running: The network .* cannot be removed yet/),
      soon,
    );
    expect(await find(made)).toBeDefined();
    await given.engine.removeContainer(one);
    await untilState("lab", "gone");
    expect(await find(made)).toBeUndefined();
  });

  test("a network with IPv6 has two subnets", async () => {
    await place.create("six", { ipv6: true });
    await untilState("six", "Running");
    const { ipv6, subnets = [] } = (await place.get("six"))?.status ?? {};
    expect([ipv6, subnets.length, subnets.some((subnet) => subnet.includes(":"))]).toEqual([true, 2, true]);
  });

  test("a persistent network outlives its object, and the next one adopts it", async () => {
    const networkName = name("kept");
    await place.create("one", { networkName, mode: "persistent" });
    await untilState("one", "Running");
    const { id } = (await find(networkName)) ?? {};
    await place.client.delete(ContainerNetworks, "", "one");
    await untilState("one", "gone");
    await place.create("two", { networkName, mode: "persistent" });
    await untilState("two", "Running");
    expect((await place.get("two"))?.status?.id).toBe(id);
    expect((await find(networkName))?.id).toBe(id);
  });

  test("an existing network is waited for, and is nobody's to take or remove", async () => {
    const networkName = name("theirs");
    await place.create("lab", { networkName, mode: "existing" });
    await untilState("lab", `NotFound: ${networkTexts.notFound(networkName)}`);
    await given.engine.createNetwork({ name: networkName, labels: {} });
    await untilState("lab", "Running");
    await place.create("taker", { networkName });
    await untilState("taker", `FailedToStart: ${networkTexts.taken(networkName)}`);
    for (const object of ["lab", "taker"]) {
      await place.client.delete(ContainerNetworks, "", object);
      await untilState(object, "gone");
    }
    expect(await find(networkName)).toBeDefined();
  });

  test("what a killed controller left is removed, and what is still wanted is taken over", async () => {
    await place.create("lab", { networkName: name("lab") });
    await untilState("lab", "Running");
    const { id } = (await find(name("lab"))) ?? {};
    await running[Symbol.asyncDispose]();
    const labels = { [networkLabels.node]: node, [networkLabels.uid]: "gone" };
    await given.engine.createNetwork({ name: name("left"), labels });
    await given.engine.createNetwork({ name: name("other"), labels: { ...labels, [networkLabels.node]: "other" } });
    running = await place.startControllers(given.engine, { node });
    await vi.waitFor(async () => expect(await find(name("left"))).toBeUndefined(), soon);
    expect((await find(name("lab")))?.id).toBe(id);
    expect(await find(name("other"))).toBeDefined();
    expect(await place.stateOf("lab")).toBe("Running");
  });

  test("the network of a namespace is shown, with its containers, until it is gone", async () => {
    const namespace = `alice-${given.name}`;
    await place.namespace(namespace);
    const networkName = name(namespace);
    const labels = { "berg.local/node": node, "berg.local/namespace": namespace };
    await given.engine.createNetwork({ name: networkName, labels });
    const pod = await given.run("sleep 1000", { HostConfig: { NetworkMode: networkName } });
    await untilState(namespace, "Running");
    await untilContainers(namespace, [pod]);
    await given.engine.removeContainer(pod);
    await given.engine.removeNetwork(networkName);
    await untilState(namespace, "gone");
  });

  test("an engine that stops is said to be away, and its networks are as they were when it is back", async () => {
    await place.create("lab", { networkName: name("lab") });
    await untilState("lab", "Running");
    const before = (await place.get("lab"))?.status;
    await given.real.service.kill();
    await untilState("lab", `Running: ${networkTexts.engineAway}`);
    await given.real.service.start();
    await untilState("lab", "Running");
    expect((await place.get("lab"))?.status).toEqual(before);
  });
});
