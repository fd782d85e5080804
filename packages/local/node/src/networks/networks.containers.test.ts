/** Real containers on real bridges, with real packet rules. */
import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Namespaces, NetworkPolicies, type NetworkPolicy, Services } from "@berg/kube";
import { missingPodman, type OutsideWorld, startOutsideWorld } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Networks } from "./interface.ts";
import { EndpointSlices, serviceNameLabel } from "./kinds.ts";
import { tableName } from "./names.ts";
import { type Site, startSite, type TestPod } from "./testing/site.ts";

const answering = (text: string, port = 8080) => `nc -ll -p ${port} -e echo ${text} & nc -ll -p 9090 -e echo ${text}`;
const ruleset = () => execFileSync("nft", ["list", "ruleset"], { encoding: "utf8" });
const tableText = () =>
  execFileSync("nft", ["list", "ruleset"], { encoding: "utf8" })
    .split(/^(?=table )/m)
    .find((text) => text.includes(tableName(`test-${process.pid}`))) ?? "";
const links = () => execFileSync("ip", ["-brief", "link"], { encoding: "utf8" });

/** What answers this machine itself there. */
async function fromHost(address: string, port: number): Promise<string> {
  const socket = connect(port, address);
  let said = "";
  for await (const chunk of socket.setEncoding("utf8")) said += chunk;
  return said.trim();
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; !(await isSo()); attempt++) {
    if (attempt === 60) throw new Error("it did not happen");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe.skipIf(missingPodman())("networks", () => {
  let site: Site;
  let world: OutsideWorld;
  let networks: Networks;
  let alice: TestPod;
  let aliceWeb: TestPod;
  let bob: TestPod;
  const asked: string[] = [];
  const undo = new AsyncDisposableStack();

  beforeAll(async () => {
    world = undo.use(await startOutsideWorld());
    await world.listen(80);
    site = undo.use(await startSite());
    networks = await site.startNetworks({
      relay: async (message) => {
        asked.push(message.toString("latin1"));
        const answer = Buffer.concat([message.subarray(0, 12), message.subarray(12)]);
        answer[2] = 0x81;
        answer[3] = 0x85;
        return answer;
      },
      addresses: async () => [world.address],
    });
    for (const name of ["alice", "bob", "carol"]) await site.namespace(name);
    alice = await site.pod(networks, "alice", "shell");
    aliceWeb = await site.pod(networks, "alice", "web", { script: answering("web"), labels: { app: "web" } });
    bob = await site.pod(networks, "bob", "shell", { script: answering("bob") });
  });
  afterAll(async () => {
    await site?.removePods();
    await networks?.stop();
    await undo.disposeAsync();
  });

  const policy = (namespace: string, spec: NonNullable<NetworkPolicy["spec"]>) =>
    site.client.create(NetworkPolicies, { metadata: { namespace, name: "test" }, spec });
  const withoutPolicy = (namespace: string) => site.client.delete(NetworkPolicies, namespace, "test");
  async function service(name: string, spec: object, endpoints: { addresses: string[]; hostname?: string }[]) {
    await site.client.create(Services, {
      metadata: { namespace: "alice", name },
      spec: { ports: [{ name: "web", port: 80, targetPort: 8080 }], ...spec },
    });
    await site.client.create(EndpointSlices, {
      metadata: { namespace: "alice", name, labels: { [serviceNameLabel]: name } },
      addressType: "IPv4",
      ports: [{ name: "web", port: 8080, protocol: "TCP" }],
      endpoints: endpoints.map((endpoint) => ({ ...endpoint, conditions: { ready: true } })),
    });
  }

  test("nothing is left unsaid where all can be isolated", () => {
    expect(networks.limitations()).toEqual([]);
  });

  test("pods of one namespace reach each other, those of another nobody", async () => {
    expect(await alice.call(aliceWeb.address, 8080)).toBe("web");
    expect(await bob.call(bob.address, 8080)).toBe("bob");
    expect(await alice.call(bob.address, 8080)).toBeUndefined();
    expect(await bob.call(aliceWeb.address, 8080)).toBeUndefined();
  });

  test("the host reaches every pod", async () => {
    for (const [pod, text] of [
      [aliceWeb, "web"],
      [bob, "bob"],
    ] as const)
      expect(await fromHost(pod.address, 8080)).toBe(text);
  });

  test("no pod reaches the host, at whatever address, nor the API server", async () => {
    const server = createServer((socket) => socket.end("host\n")).listen(0, "0.0.0.0");
    await once(server, "listening");
    await using _ = { [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())) };
    const { port } = server.address() as { port: number };
    const addresses = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => address);
    const gateways = [alice, bob].map(({ address }) => address.replace(/\d+$/, "1"));
    expect(addresses).toEqual(expect.arrayContaining([...gateways, world.hostAddress]));
    for (const address of addresses) {
      expect(await fromHost(address, port)).toBe("host");
    }
    const tries = [...addresses, "10.96.0.10", "127.0.0.1"].flatMap((address) => [
      alice.call(address, port),
      alice.call(address, site.apiPort),
    ]);
    expect(new Set(await Promise.all(tries))).toEqual(new Set([undefined]));
  });

  test("without a policy the world is open, and the world reaches no pod", async () => {
    expect(await alice.call(world.address, 80)).toBe("world");
    await expect(world.run("busybox", "nc", "-w", "2", aliceWeb.address, "8080")).rejects.toThrow();
  });

  test("with outbound traffic off neither the world nor names outside are reached, pods of the namespace still are", async () => {
    await policy("alice", {
      podSelector: {},
      policyTypes: ["Egress"],
      egress: [
        {
          to: [
            {
              namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
              podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
            },
          ],
          ports: [{ port: 53, protocol: "UDP" }],
        },
        { to: [{ podSelector: {} }] },
      ],
    });
    await until(async () => (await alice.call(world.address, 80)) === undefined);
    expect(await alice.call(aliceWeb.address, 8080)).toBe("web");
    const before = asked.length;
    expect((await alice.run("nslookup", "secret.example.com")).output).toContain("NXDOMAIN");
    expect(asked.length).toBe(before);
    expect(await bob.call(world.address, 80)).toBe("world");
    expect((await bob.run("nslookup", "open.example.com")).output).not.toContain("NXDOMAIN");
    expect(asked.length).toBeGreaterThan(before);
    await withoutPolicy("alice");
    await until(async () => (await alice.call(world.address, 80)) === "world");
  });

  test("a pod that may not speak to the world does not go on with what an earlier one of its address began", async () => {
    const file = join(site.directory, "heard");
    // It answers, so that the conversation stays known.
    const hear = `let count = 0;
      const socket = require("node:dgram").createSocket("udp4", (message, { port, address }) => {
        require("node:fs").writeFileSync("${file}", String(++count));
        socket.send(message, port, address);
      }).bind(7000);`;
    // It ends with the world.
    world.run(process.execPath, "--eval", hear).catch(() => {});
    const { pid = 0 } = (await site.engine.inspectContainer(alice.id)) ?? {};
    const talk = `const socket = require("node:dgram").createSocket("udp4").bind(5556);
      setInterval(() => socket.send("hello", 7000, "${world.address}"), 50);`;
    const talking = spawn("nsenter", ["--target", `${pid}`, "--net", process.execPath, "--eval", talk]);
    await using _talking = { [Symbol.asyncDispose]: async () => void talking.kill() };
    const heard = () => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);
    await until(async () => heard() > 20);

    await policy("alice", {
      podSelector: { matchLabels: { outbound: "no" } },
      policyTypes: ["Egress"],
      egress: [{ to: [{ podSelector: {} }] }],
    });
    const start = (name: string, uid: string, labels: Record<string, string>) =>
      networks.podStarted(
        { apiVersion: "v1", kind: "Pod", metadata: { namespace: "alice", name, uid, labels } },
        alice.address,
      );
    await networks.attach("alice");
    networks.podGone(alice.uid);
    await start("next", "next", { outbound: "no" });
    // One that is on its way just then may pass.
    await wait(300);
    const before = heard();
    await wait(1000);
    expect(heard()).toBe(before);
    expect(await alice.call(aliceWeb.address, 8080)).toBe("web");

    // The address is its own again, though nobody said that the other is gone.
    await start("shell", alice.uid, {});
    await until(async () => heard() > before);
    await start("next", "next", { outbound: "no" });
    expect(await alice.call(world.address, 80)).toBeUndefined();
    await start("shell", alice.uid, {});
    expect(await alice.call(world.address, 80)).toBe("world");
    networks.podGone("next");
    await withoutPolicy("alice");
  });

  test("a range with exceptions and a port opens that alone", async () => {
    await world.listen(81);
    await policy("bob", {
      podSelector: {},
      policyTypes: ["Egress"],
      egress: [
        {
          to: [{ ipBlock: { cidr: "0.0.0.0/0", except: [`${world.hostAddress}/32`, "10.0.0.0/8"] } }],
          ports: [{ port: 81 }],
        },
      ],
    });
    await until(async () => (await bob.call(world.address, 80)) === undefined);
    expect(await bob.call(world.address, 81)).toBe("world");
    expect((await bob.run("nslookup", "open.example.com")).output, "no way to the name server").toMatch(
      /REFUSED|refused/,
    );
    await withoutPolicy("bob");
    await until(async () => (await bob.call(world.address, 80)) === "world");
  });

  test("a policy holds between pods of one namespace, and not against the host", async () => {
    const bridge = (await site.engine.listNetworks({ "berg.local/namespace": "alice" }))[0]?.bridge ?? "";
    for (const file of ["nf_call_iptables", "nf_call_ip6tables"])
      expect(readFileSync(`/sys/class/net/${bridge}/bridge/${file}`, "utf8"), file).toBe("1\n");
    await policy("alice", {
      podSelector: { matchLabels: { app: "web" } },
      policyTypes: ["Ingress"],
      ingress: [{ ports: [{ port: "web" }] }],
    });
    await until(async () => (await alice.call(aliceWeb.address, 9090)) === undefined);
    expect(await alice.call(aliceWeb.address, 8080)).toBe("web");
    expect(await fromHost(aliceWeb.address, 9090)).toBe("web");
    await withoutPolicy("alice");
    await until(async () => (await alice.call(aliceWeb.address, 9090)) === "web");
  });

  test("a Service is reached by its name at its port, also by the pod behind it, and by no other namespace", async () => {
    await service("web", {}, [{ addresses: [aliceWeb.address] }]);
    await until(async () => (await alice.call("web", 80)) === "web");
    expect(await alice.call("web.alice.svc.cluster.local", 80)).toBe("web");
    expect(await alice.call("web", 8080)).toBeUndefined();
    expect(await aliceWeb.call("web", 80), "itself").toBe("web");
    const { spec } = await site.client.get(Services, "alice", "web");
    expect(await alice.call(spec?.clusterIP ?? "", 80)).toBe("web");
    expect(await bob.call(spec?.clusterIP ?? "", 80)).toBeUndefined();
    expect((await bob.run("nslookup", "web.alice.svc.cluster.local")).output).toContain("NXDOMAIN");
  });

  test("a headless Service is the addresses of its pods, each with its name", async () => {
    await service("db", { clusterIP: "None" }, [{ addresses: [aliceWeb.address], hostname: "db-0" }]);
    await until(async () => (await alice.call("db", 8080)) === "web");
    expect(await alice.call("db-0.db", 8080)).toBe("web");
    expect(await alice.call(`${aliceWeb.address.replaceAll(".", "-")}.alice.pod.cluster.local`, 8080)).toBe("web");
  });

  test("calls to a Service are spread over its pods; one that has none refuses at once", async () => {
    const other = await site.pod(networks, "alice", "other", { script: answering("other") });
    await service("both", {}, [{ addresses: [aliceWeb.address] }, { addresses: [other.address] }]);
    await service("none", {}, []);
    await until(async () => (await alice.call("both", 80)) !== undefined);
    const { output } = await alice.run("sh", "-c", "for i in $(seq 30); do nc -w 2 both 80 </dev/null; done");
    expect(new Set(output.trim().split("\n"))).toEqual(new Set(["web", "other"]));
    const start = performance.now();
    expect((await alice.run("nc", "-w", "60", "none", "80")).code).not.toBe(0);
    expect(performance.now() - start).toBeLessThan(50_000);
    await other.remove();
    networks.podGone(other.uid);
  });

  test("an address that no pod of the namespace was given sends nothing, not even questions", async () => {
    const stranger = await site.pod(networks, "bob", "stranger", { isKnown: false });
    expect(await stranger.call(world.address, 80)).toBeUndefined();
    expect((await stranger.run("timeout", "3", "nslookup", "kubernetes.default.svc.cluster.local")).code).not.toBe(0);
    await stranger.remove();

    const forger = await site.pod(networks, "bob", "forger", { host: { CapAdd: ["NET_ADMIN"] } });
    expect((await forger.run("nslookup", "kubernetes.default.svc.cluster.local")).output).toContain("10.96.0.1");
    expect(await forger.call(world.address, 80)).toBe("world");
    const gateway = bob.address.replace(/\d+$/, "1");
    const forge = `ip address add ${alice.address}/32 dev eth0 && ip route del default && ip route add default via ${gateway} src ${alice.address}`;
    expect(await forger.run("sh", "-c", forge)).toEqual({ output: "", code: 0 });
    const before = asked.length;
    await forger.run("timeout", "3", "nslookup", "forged.example.com");
    expect(asked.length, "the name server was asked in another pod's name").toBe(before);
    await forger.remove();
    networks.podGone(forger.uid);
  });

  test("IPv6 is closed, to the host and between pods", async () => {
    const bridge = (await site.engine.listNetworks({ "berg.local/namespace": "bob" }))[0]?.bridge ?? "";
    const pods = await Promise.all(
      ["fd99::2", "fd99::3"].map(async (address) => {
        const pod = await site.pod(networks, "bob", `six-${address.at(-1)}`, { host: { Privileged: true } });
        await pod.run("sh", "-c", "echo 0 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6");
        await pod.run("ip", "-6", "address", "add", `${address}/64`, "dev", "eth0");
        return pod;
      }),
    );
    execFileSync("sh", ["-c", `echo 0 > /proc/sys/net/ipv6/conf/${bridge}/disable_ipv6`]);
    execFileSync("ip", ["-6", "address", "replace", "fd99::1/64", "dev", bridge, "nodad"]);
    const six = async (pod: TestPod) => (await pod.run("ip", "-6", "address")).output;
    for (const pod of pods) await until(async () => !(await six(pod)).includes("tentative"));
    const [pod, near] = pods as [TestPod, TestPod];
    expect(await six(pod)).toContain("fd99::2");
    expect(await six(near)).toContain("fd99::3");
    for (const address of ["fd99::1", "fd99::3"])
      expect((await pod.run("ping", "-6", "-c", "1", "-W", "2", address)).code, address).not.toBe(0);
    execFileSync("ip", ["-6", "address", "delete", "fd99::1/64", "dev", bridge]);
    for (const one of pods) {
      await one.remove();
      networks.podGone(one.uid);
    }
  });

  test("who is at the port of a name server that is gone hears nothing, also of a conversation that goes on", async () => {
    const dnsPort = Number(/redirect to :(\d+)/.exec(tableText())?.[1]);
    const { pid = 0 } = (await site.engine.inspectContainer(alice.id)) ?? {};
    const talk = `const socket = require("node:dgram").createSocket("udp4").bind(5555);
      setInterval(() => socket.send("hello", 53, "10.96.0.10"), 200);`;
    const talking = spawn("nsenter", ["--target", `${pid}`, "--net", process.execPath, "--eval", talk]);
    await using _talking = { [Symbol.asyncDispose]: async () => void talking.kill() };
    // As long as it is there they do talk.
    await until(async () => tableText().includes(`elements = { ${alice.address} limit`));
    await networks.leave();
    const heard: string[] = [];
    let stage = "after its end";
    const other = createSocket("udp4", (message, { address }) => heard.push(`${message} from ${address}, ${stage}`));
    await new Promise<void>((done) => other.bind(dnsPort, () => done()));
    await using _ = { [Symbol.asyncDispose]: () => new Promise<void>((done) => other.close(() => done())) };
    await wait(1000);
    stage = "while the next run starts";
    networks = await site.startNetworks();
    stage = "in the next run";
    const metadata = { namespace: "alice", name: "shell", uid: alice.uid, labels: {} };
    await networks.podStarted({ apiVersion: "v1", kind: "Pod", metadata }, alice.address);
    await wait(1000);
    // Where one table takes the place of another, a packet that is on its way just then may pass.
    expect(heard.filter((text) => !text.endsWith("while the next run starts"))).toEqual([]);
    expect(heard.length).toBeLessThan(3);
    const { output } = await alice.run("nslookup", "web.alice.svc.cluster.local");
    expect(output).toContain("10.96.");
  });

  test("the next run finds networks and pods, and closes what nobody tells it of", async () => {
    await networks.leave();
    expect(await alice.call(bob.address, 8080)).toBeUndefined();
    networks = await site.startNetworks();
    expect(await alice.call(world.address, 80)).toBeUndefined();
    for (const [pod, namespace, name] of [
      [alice, "alice", "shell"],
      [aliceWeb, "alice", "web"],
    ] as const) {
      const metadata = { namespace, name, uid: pod.uid, labels: {} };
      await networks.podStarted({ apiVersion: "v1", kind: "Pod", metadata }, pod.address);
    }
    expect(await alice.call("web", 80)).toBe("web");
    expect(await alice.call(world.address, 80)).toBe("world");
    expect(await bob.call(world.address, 80)).toBeUndefined();
    expect((await site.engine.listNetworks({ "berg.local/node": site.node })).length).toBe(2);
    // The engine refuses: a container is on it.
    await networks.release("bob");
    expect((await site.engine.listNetworks({ "berg.local/node": site.node })).length).toBe(2);
    await bob.remove();
    await networks.removeUnused();
    expect((await site.engine.listNetworks({ "berg.local/node": site.node })).length).toBe(1);
  });

  test("a network goes with its namespace", async () => {
    await networks.attach("carol");
    expect(await site.engine.listNetworks({ "berg.local/namespace": "carol" })).toHaveLength(1);
    await site.client.delete(Namespaces, "", "carol");
    await until(async () => (await site.engine.listNetworks({ "berg.local/namespace": "carol" })).length === 0);
  });

  test("at the end nothing is left", async () => {
    for (const pod of [alice, aliceWeb]) await pod.remove();
    const bridges = (await site.engine.listNetworks({ "berg.local/node": site.node })).map(({ bridge }) => bridge);
    expect(ruleset()).toContain(tableName(site.node));
    await networks.stop();
    expect(ruleset()).not.toContain(tableName(site.node));
    expect(await site.engine.listNetworks({ "berg.local/node": site.node })).toEqual([]);
    for (const bridge of bridges) expect(links()).not.toContain(bridge);
  });
});
