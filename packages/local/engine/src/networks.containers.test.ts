import { existsSync } from "node:fs";
import { label, onEachEngine } from "@berg/test/engine";
import { expect, test, vi } from "vitest";
import type { ExecOptions, NetworkEvent } from "./engine.ts";

const patience = { timeout: 60_000, interval: 100 };

onEachEngine((given) => {
  const labels = { [label]: "yes" };
  const addressesOf = async (id: string) => (await given.engine.inspectContainer(id))?.addresses;
  const said = async (id: string, script: string) => {
    const options: ExecOptions = {
      ...{ command: ["sh", "-c", script], stdin: false, stdout: true, stderr: true, tty: false },
    };
    const session = await given.engine.exec(id, options);
    const chunks: Uint8Array[] = [];
    for await (const { bytes } of session.output) chunks.push(bytes);
    session.close();
    return Buffer.concat(chunks).toString();
  };

  test("networks are made with the bridge that was asked for, found, listed and removed", async () => {
    const wanted = {
      name: "net",
      labels: { [label]: "yes", n: "1" },
      subnet: "10.89.202.0/24",
      gateway: "10.89.202.1",
    };
    const { id } = await given.engine.createNetwork({ ...wanted, bridge: "berg-t-net" });
    const network = {
      ...{ id, ...wanted, driver: "bridge", bridge: "berg-t-net", internal: false, ipv6: false },
      ...{ subnets: ["10.89.202.0/24"], gateways: ["10.89.202.1"] },
    };
    expect(await given.engine.inspectNetwork("net")).toEqual(network);
    expect(await given.engine.inspectNetwork(id)).toEqual(network);
    expect(await given.engine.listNetworks({ n: "1" })).toEqual([network]);
    expect(await given.engine.listNetworks({ n: "2" })).toEqual([]);
    await expect(given.engine.createNetwork({ ...wanted, bridge: "berg-t-two" })).rejects.toMatchObject({
      status: 409,
    });
    const holder = await given.run("sleep 100", { HostConfig: { NetworkMode: "net" } });
    if (given.name === "podman") expect(existsSync("/sys/class/net/berg-t-net")).toBe(true);
    await expect(given.engine.removeNetwork("net")).rejects.toThrow(/^cannot remove network net: /);
    await given.engine.removeContainer(holder);
    await given.engine.removeNetwork("net");
    await given.engine.removeNetwork("net");
    expect(await given.engine.inspectNetwork("net")).toBeUndefined();
  });

  test("what is not asked for is the engine's choice", async () => {
    const { id } = await given.engine.createNetwork({ name: "chosen", labels });
    const network = await given.engine.inspectNetwork("chosen");
    expect(network).toMatchObject({ id, driver: "bridge", internal: false, ipv6: false });
    expect(network?.subnets).toEqual([expect.stringMatching(/^[\d.]+\/\d+$/)]);
    expect(network?.gateways).toEqual([expect.stringMatching(/^[\d.]+$/)]);
    expect(network?.bridge).not.toBe("");
    await given.engine.removeNetwork("chosen");
  });

  test("one with IPv6 has a range and a gateway of each kind", async () => {
    await given.engine.createNetwork({ name: "six", labels, ipv6: true });
    const network = await given.engine.inspectNetwork("six");
    expect(network).toMatchObject({ ipv6: true });
    expect(network?.subnets).toEqual([
      expect.stringMatching(/^[\d.]+\/\d+$/),
      expect.stringMatching(/^fd[0-9a-f:]+\/64$/),
    ]);
    const id = await given.run("sleep 100", { HostConfig: { NetworkMode: "six" } });
    // Docker says the address of the gateway when somebody is on it.
    expect((await given.engine.inspectNetwork("six"))?.gateways).toEqual(
      expect.arrayContaining([expect.stringMatching(/^[\d.]+$/)]),
    );
    expect(await said(id, "ip addr show eth0")).toMatch(/inet6 fd/);
    await given.engine.removeContainer(id);
    await given.engine.removeNetwork("six");
  });

  test("an internal one has no way out, and the host's address on it is reached", async () => {
    const range = { subnet: "10.89.203.0/29", gateway: "10.89.203.1" };
    await given.engine.createNetwork({ name: "inner", labels, ...range, internal: true });
    expect(await given.engine.inspectNetwork("inner")).toMatchObject({ internal: true, ...range });
    const id = await given.run("sleep 100", { HostConfig: { NetworkMode: "inner" } });
    expect(await said(id, "ping -c 1 -W 10 10.89.203.1")).toContain("1 packets received");
    // Beyond Docker's machine; Podman shares ours, so another bridge stands for the rest of the world.
    await given.engine.createNetwork({ name: "outer", labels, subnet: "10.89.206.0/29", gateway: "10.89.206.1" });
    const other = await given.run("sleep 100", { HostConfig: { NetworkMode: "outer" } });
    const outside = given.name === "docker" ? given.real.hostAddress : "10.89.206.1";
    expect(await said(other, `ping -c 1 -W 10 ${outside}`)).toContain("1 packets received");
    expect(await said(id, `ping -c 1 -W 2 ${outside}`)).toMatch(/100% packet loss|unreachable/);
    for (const one of [id, other]) await given.engine.removeContainer(one);
    for (const name of ["inner", "outer"]) await given.engine.removeNetwork(name);
  });

  test("a container is put on a second network before it starts, with the address that was asked for", async () => {
    const range = { subnet: "10.89.205.0/29", gateway: "10.89.205.1" };
    await given.engine.createNetwork({ name: "first", labels, subnet: "10.89.204.0/29", gateway: "10.89.204.1" });
    await given.engine.createNetwork({ name: "second", labels, ...range, internal: true });
    const body = { Image: "berg.test/engine:1", Labels: labels, HostConfig: { NetworkMode: "first" } };
    const { id } = await given.engine.createContainer("dual-homed", body);
    await given.engine.connectNetwork("second", id, { address: "10.89.205.4" });
    await given.engine.connectNetwork("second", id, { address: "10.89.205.4" });
    await given.engine.startContainer(id);
    const addresses = await addressesOf(id);
    expect(addresses).toEqual({ first: expect.stringMatching(/^10\.89\.204\.\d$/), second: "10.89.205.4" });
    // In any order: Podman does not keep one.
    const interfaces = await said(id, "ip addr");
    for (const address of Object.values(addresses ?? {})) expect(interfaces).toContain(`inet ${address}/29`);
    await given.engine.connectNetwork("second", id);
    expect(await addressesOf(id)).toEqual(addresses);
    for (const name of ["first", "second"]) {
      const { id: networkId = "" } = (await given.engine.inspectNetwork(name)) ?? {};
      const summary = { id, name: "dual-homed", labels, status: "running" };
      expect(await given.engine.listNetworkContainers(name)).toEqual([summary]);
      expect(await given.engine.listNetworkContainers(networkId)).toEqual([summary]);
    }
    await given.engine.disconnectNetwork("second", id);
    await given.engine.disconnectNetwork("second", id);
    expect(await addressesOf(id)).toEqual({ first: addresses?.first });
    expect(await given.engine.listNetworkContainers("second")).toEqual([]);
    await given.engine.removeContainer(id);
    await given.engine.disconnectNetwork("first", id);
    await given.engine.removeNetwork("first");
    await given.engine.removeNetwork("second");
    await given.engine.disconnectNetwork("second", id);
  });

  test("what cannot be connected is refused in the engine's words", async () => {
    const id = await given.run("sleep 100", { HostConfig: { NetworkMode: "bridge" } });
    await expect(given.engine.connectNetwork("nothing", id)).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot connect container [0-9a-f]+ to network nothing: .*not found/),
      status: 404,
    });
    await given.engine.createNetwork({ name: "there", labels });
    await expect(given.engine.connectNetwork("there", "nobody")).rejects.toMatchObject({ status: 404 });
    expect(await given.engine.listNetworkContainers("there")).toEqual([]);
    await given.engine.removeNetwork("there");
  });

  test("that a container comes to a network and leaves it is told", async () => {
    await given.engine.createNetwork({ name: "told", labels });
    const id = await given.run("sleep 100", { HostConfig: { NetworkMode: "bridge" } });
    const stop = new AbortController();
    const events: NetworkEvent[] = [];
    const reading = (async () => {
      for await (const event of given.engine.networkEvents(stop.signal)) events.push(event);
    })().catch(() => {});
    await given.engine.connectNetwork("told", id);
    const told = (action: string) =>
      vi.waitFor(() => expect(events).toContainEqual(expect.objectContaining({ action, containerId: id })), patience);
    await told("connect");
    await given.engine.disconnectNetwork("told", id);
    await told("disconnect");
    const network = await given.engine.inspectNetwork("told");
    const last = events.findLast(({ action }) => action === "disconnect");
    expect(last?.networkId).toBe(given.name === "docker" ? network?.id : "");
    stop.abort();
    await reading;
    await given.engine.removeNetwork("told");
  });

  test("a container that is to go with its end is gone when it has ended", async () => {
    const id = await given.run("sleep 100", { HostConfig: { NetworkMode: "none", AutoRemove: true } });
    expect(await given.engine.inspectContainer(id)).toMatchObject({ state: { status: "running" } });
    await given.engine.killContainer(id, "SIGKILL");
    await vi.waitFor(async () => expect(await given.engine.inspectContainer(id)).toBeUndefined(), patience);
  });
});
