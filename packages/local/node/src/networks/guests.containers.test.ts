/** A guest on a namespace's bridge, with real containers, bridges and packet rules. It has a management network as well. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { Namespaces, NetworkPolicies, Services } from "@berg/kube";
import { managementBridgePrefix } from "@berg/local-engine";
import { missingPodman, type OutsideWorld, startOutsideWorld } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Networks } from "./interface.ts";
import { EndpointSlices, serviceNameLabel } from "./kinds.ts";
import { tableName } from "./names.ts";
import { type Site, startSite, type TestGuest, type TestPod } from "./testing/site.ts";

const answering = (text: string) => `nc -ll -p 8080 -e echo ${text}`;
const soon = { timeout: 40_000, interval: 200 };

/** What answers this machine itself there. */
async function fromHost(address: string, port: number): Promise<string> {
  const socket = connect(port, address);
  let said = "";
  for await (const chunk of socket.setEncoding("utf8")) said += chunk;
  return said.trim();
}

/** A busy machine may not answer within the time that one call has. */
const untilSaid = (caller: TestPod, address: string, port: number, text: string) =>
  vi.waitFor(async () => expect(await caller.call(address, port)).toBe(text), soon);

/** Without the time that is left. */
const tableText = (node: string) => {
  const text = execFileSync("nft", ["list", "table", "inet", tableName(node)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return text.replaceAll(/ expires \S+/g, "");
};

async function hostServer() {
  const server = createServer((socket) => socket.end("host\n")).listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())) };
}

describe.skipIf(missingPodman())("a guest", () => {
  let site: Site;
  let world: OutsideWorld;
  let networks: Networks;
  /** In the namespace of the guest. Its policies let nothing out. */
  let closed: TestPod;
  /** There, too, with every capability, and no policy. */
  let hostile: TestPod;
  let bob: TestPod;
  let guest: TestGuest;
  const undo = new AsyncDisposableStack();
  const management = {
    subnet: "10.171.171.0/29",
    gateway: "10.171.171.1",
    bridge: `${managementBridgePrefix}${process.pid}`,
  };

  beforeAll(async () => {
    world = undo.use(await startOutsideWorld());
    await world.listen(80);
    site = undo.use(await startSite());
    networks = await site.startNetworks();
    for (const name of ["alice", "bob"]) await site.namespace(name);
    for (const policyTypes of [["Egress"], ["Ingress"]])
      await site.client.create(NetworkPolicies, {
        metadata: { namespace: "alice", name: `closed-${policyTypes}`.toLowerCase() },
        spec: { podSelector: { matchLabels: { app: "closed" } }, policyTypes },
      });
    closed = await site.pod(networks, "alice", "closed", { script: answering("closed"), labels: { app: "closed" } });
    hostile = await site.pod(networks, "alice", "hostile", {
      script: answering("hostile"),
      host: { CapAdd: ["NET_ADMIN", "NET_RAW"] },
    });
    bob = await site.pod(networks, "bob", "shell", { script: answering("bob") });
    const labels = { "berg.test/networks": "yes" };
    await site.engine.createNetwork({ name: management.bridge, labels, internal: true, ...management });
    undo.defer(() => site.engine.removeNetwork(management.bridge));
    guest = await site.guest(networks, "alice", management.bridge, answering("guest"));
  });
  afterAll(async () => {
    await site?.removePods();
    await networks?.stop();
    await undo.disposeAsync();
  });

  test("is reached by nobody before it is known, and by the pods of its namespace after that", async () => {
    expect(await closed.call(guest.address, 8080)).toBeUndefined();
    expect(await hostile.call(guest.address, 8080)).toBeUndefined();
    await networks.guestJoined("alice", guest);
    expect(tableText(site.node)).toContain(guest.address);
    await untilSaid(closed, guest.address, 8080, "guest");
    await untilSaid(hostile, guest.address, 8080, "guest");
  });

  test("is reached by no other namespace, and not from outside", async () => {
    expect(await bob.call(guest.address, 8080)).toBeUndefined();
    await expect(world.run("busybox", "nc", "-w", "2", guest.address, "8080")).rejects.toThrow();
  });

  test("opens nothing else to those who may call it, nor to others", async () => {
    expect(await closed.call(hostile.address, 8080)).toBeUndefined();
    expect(await closed.call(world.address, 80)).toBeUndefined();
    expect(await hostile.call(closed.address, 8080)).toBeUndefined();
    await untilSaid(hostile, world.address, 80, "world");
  });

  test("is called by TCP alone", async () => {
    const ping = async (address: string) => (await hostile.run("ping", "-c", "1", "-W", "3", address)).code;
    const other = await site.pod(networks, "alice", "other");
    await vi.waitFor(async () => expect(await ping(other.address), "another pod").toBe(0), soon);
    expect(await ping(guest.address), "the guest").not.toBe(0);
    await other.remove();
    networks.podGone(other.uid);
  });

  test("begins nothing: not with pods, not with the host at any address, not with the world, and asks for no name", async () => {
    await using host = await hostServer();
    const addresses = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => address);
    // Others on this machine may come and go meanwhile.
    const known = [management.gateway, guest.address.replace(/\d+$/, "1"), world.hostAddress];
    expect(addresses).toEqual(expect.arrayContaining(known));
    for (const address of known) expect(await fromHost(address, host.port)).toBe("host");
    const heard = await Promise.all([
      ...addresses.map((address) => guest.call(address, host.port)),
      guest.call(hostile.address, 8080),
      guest.call(closed.address, 8080),
      guest.call(bob.address, 8080),
      guest.call(world.address, 80),
    ]);
    expect(new Set(heard)).toEqual(new Set([undefined]));
    expect(
      (await guest.run("timeout", "5", "nslookup", "kubernetes.default.svc.cluster.local", "10.96.0.10")).code,
    ).not.toBe(0);
    expect((await hostile.run("nslookup", "kubernetes.default.svc.cluster.local", "10.96.0.10")).code).toBe(0);
  });

  test("is reached through a Service of its namespace", async () => {
    const { spec } = await site.client.create(Services, {
      metadata: { namespace: "alice", name: "tunnel" },
      spec: { ports: [{ name: "x", port: 80, targetPort: 8080 }] },
    });
    await site.client.create(EndpointSlices, {
      metadata: { namespace: "alice", name: "tunnel", labels: { [serviceNameLabel]: "tunnel" } },
      addressType: "IPv4",
      ports: [{ name: "x", port: 8080, protocol: "TCP" }],
      endpoints: [{ addresses: [guest.address] }],
    });
    await vi.waitFor(async () => expect(await closed.call(spec?.clusterIP ?? "", 80)).toBe("guest"), soon);
  });

  test("is called by the host on its management network, and by no pod there, routed or handed to the guest", async () => {
    await using host = await hostServer();
    expect(await fromHost(guest.management, 8080)).toBe("guest");
    const reach = () =>
      Promise.all([
        hostile.call(guest.management, 8080),
        hostile.call(management.gateway, host.port),
        bob.call(guest.management, 8080),
        bob.call(management.gateway, host.port),
      ]);
    const nobody = [undefined, undefined, undefined, undefined];
    expect(await reach(), "by the host").toEqual(nobody);
    // The guest's own kernel would take what is for its other address, and pass on what is for the host.
    const route = (verb: string) =>
      hostile.run("ip", "route", verb, management.subnet, "via", guest.address, "dev", "eth0");
    expect(await route("add")).toEqual({ output: "", code: 0 });
    expect(await reach(), "by the guest").toEqual(nobody);
    expect((await route("del")).code).toBe(0);
    await untilSaid(hostile, guest.address, 8080, "guest");
  });

  test("hears no packet of a pod on its management network, not even one that it could not answer", async () => {
    const inNetworkOf = async (id: string, script: string) => {
      const { pid = 0 } = (await site.engine.inspectContainer(id)) ?? {};
      return [
        "--target",
        `${pid}`,
        "--net",
        process.execPath,
        "--eval",
        `const dgram = require("node:dgram"); ${script}`,
      ];
    };
    const listening = `dgram.createSocket("udp4", (message) => console.log(String(message))).bind(7000, () => console.log("ready"));`;
    const ear = spawn("nsenter", await inNetworkOf(guest.id, listening), { stdio: ["ignore", "pipe", "inherit"] });
    await using _ear = { [Symbol.asyncDispose]: async () => void ear.kill() };
    let heard = "";
    ear.stdout.setEncoding("utf8").on("data", (text: string) => {
      heard += text;
    });
    await vi.waitFor(() => expect(heard).toBe("ready\n"), soon);
    const sending = (text: string) =>
      `const socket = dgram.createSocket("udp4"); socket.send("${text}", 7000, "${guest.management}", () => socket.close());`;
    const send = async (pod: TestPod, text: string) =>
      execFileSync("nsenter", await inNetworkOf(pod.id, sending(text)), { stdio: "ignore" });
    for (let i = 0; i < 3; i++) {
      await send(bob, "bob, routed");
      await send(hostile, "hostile, routed");
    }
    const route = (verb: string) => hostile.run("ip", "route", verb, management.subnet, "via", guest.address);
    expect((await route("add")).code).toBe(0);
    for (let i = 0; i < 3; i++) await send(hostile, "hostile, handed over");
    expect((await route("del")).code).toBe(0);
    await vi.waitFor(() => {
      execFileSync(process.execPath, ["--eval", `const dgram = require("node:dgram"); ${sending("host")}`]);
      expect(heard).toContain("host\n");
    }, soon);
    expect(new Set(heard.trim().split("\n"))).toEqual(new Set(["ready", "host"]));
  });

  test("is no disguise: a pod with its address begins nothing", async () => {
    const gateway = guest.address.replace(/\d+$/, "1");
    const forge = `ip address add ${guest.address}/32 dev eth0 && ip route replace ${world.address} via ${gateway} src ${guest.address}`;
    await untilSaid(hostile, world.address, 80, "world");
    expect(await hostile.run("sh", "-c", forge)).toEqual({ output: "", code: 0 });
    expect(await hostile.call(world.address, 80)).toBeUndefined();
    const undone = `ip route del ${world.address} && ip address del ${guest.address}/32 dev eth0`;
    expect(await hostile.run("sh", "-c", undone)).toEqual({ output: "", code: 0 });
    await untilSaid(hostile, world.address, 80, "world");
  });

  test("is known after the rules were lost and put back", async () => {
    execFileSync("nft", ["delete", "table", "inet", tableName(site.node)]);
    await vi.waitFor(() => expect(tableText(site.node)).toContain(guest.address), soon);
    await untilSaid(closed, guest.address, 8080, "guest");
    expect(await guest.call(hostile.address, 8080)).toBeUndefined();
  });

  test("of an earlier run is closed until the next one is told of it", async () => {
    await networks.leave();
    networks = await site.startNetworks();
    const metadata = { namespace: "alice", name: "closed", uid: closed.uid, labels: { app: "closed" } };
    await networks.podStarted({ apiVersion: "v1", kind: "Pod", metadata }, closed.address);
    expect(await closed.call(guest.address, 8080)).toBeUndefined();
    await networks.guestJoined("alice", guest);
    await untilSaid(closed, guest.address, 8080, "guest");
  });

  test("is nobody where it is on another network than the namespace's, or on none", async () => {
    const before = tableText(site.node);
    await networks.guestJoined("carol", guest);
    await networks.guestJoined("alice", { id: "other", address: guest.management });
    expect(tableText(site.node)).toBe(before);
    await expect(networks.guestJoined("alice", { id: "x", address: "" })).rejects.toThrow('"" is no IPv4 address');
  });

  test("that has gone unnoticed is forgotten when a pod gets its address, and when its network goes", async () => {
    const guests = () => /set guests \{[^}]*/.exec(tableText(site.node))?.[0] ?? "";
    const metadata = { namespace: "bob", name: "shell", uid: bob.uid, labels: {} };
    const other = await site.guest(networks, "bob", management.bridge, "sleep 1000");
    await networks.guestJoined("bob", other);
    expect(guests()).toContain(other.address);
    await networks.podStarted({ apiVersion: "v1", kind: "Pod", metadata }, other.address);
    expect(guests()).not.toContain(other.address);
    await networks.guestJoined("bob", other);
    expect(guests()).toContain(other.address);

    for (const one of [other, bob]) await one.remove();
    networks.podGone(bob.uid);
    await networks.release("bob");
    expect(await site.engine.listNetworks({ "berg.local/namespace": "bob" })).toEqual([]);
    await networks.attach("bob");
    expect(guests()).not.toContain(other.address);
    await networks.release("bob");
  });

  test("keeps the network of a namespace that is gone until it leaves, and is not called after that", async () => {
    const isThere = async () => (await site.engine.listNetworks({ "berg.local/namespace": "alice" })).length === 1;
    networks.guestLeft(guest.id);
    await vi.waitFor(async () => expect(await closed.call(guest.address, 8080)).toBeUndefined(), soon);
    await networks.guestJoined("alice", guest);
    for (const pod of [closed, hostile]) {
      await pod.remove();
      networks.podGone(pod.uid);
    }
    await site.client.delete(Namespaces, "", "alice");
    await networks.release("alice");
    await networks.removeUnused();
    expect(await isThere()).toBe(true);
    await guest.remove();
    networks.guestLeft(guest.id);
    await vi.waitFor(async () => expect(await isThere()).toBe(false), soon);
  });
});
