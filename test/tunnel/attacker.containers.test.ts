/** What an attacker on the network of a tunnel can reach: the tunnels, and nothing else. */
import { randomBytes, randomInt } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { Pods } from "@berg/kube";
import { issueCertificate, makeCa } from "@berg/local-certificates";
import { ContainerNetworks } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { printPreamble, sessionKey } from "../../packages/tunnel/src/streams/preamble.ts";
import {
  answered,
  entranceOf,
  managementOf,
  portOf,
  sayHello,
  startProxy,
  underAttack,
  unreachable,
} from "./attacked.ts";
import { Attacker } from "./attacker.ts";
import { type Call, knockOnAll } from "./attacks/knock.ts";

/** To find that nobody answers. */
const patienceMs = 5_000;
const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString("base64");

/** Calls to the control and data ports that are not the server proxy's. */
function wrongCalls(host: string, control: number, data: number): Record<string, Call> {
  const day = 24 * 3600_000;
  const [from, until] = [Date.now() - day, Date.now() + day];
  const own = makeCa("berg tunnel", from, until);
  const subject = { commonName: "berg tunnel server proxy" };
  const { key, certificate } = issueCertificate(own, { subject, usage: "client", from, until });
  const rubbish = base64(randomBytes(1_000));
  const request = base64("GET / HTTP/1.1\r\nHost: proxy\r\n\r\n".repeat(10));
  // Sessions are counted from 1, and so are connections: these could come next.
  const forged = [0, 1, 2, 3, 0xffff_ffff].map((id) =>
    base64(printPreamble({ session: sessionKey({ id, key: randomBytes(32) }), number: randomInt(1_000, 1_000_000) })),
  );
  const calls: Record<string, Omit<Call, "host">> = {
    "rubbish to control": { port: control, say: rubbish },
    "HTTP to control": { port: control, say: request },
    "TLS without a certificate": { port: control, tls: {}, say: request },
    "TLS with a certificate of one's own": {
      port: control,
      tls: { key, cert: certificate + own.certificate },
      say: request,
    },
    "nothing to control": { port: control },
    "rubbish to data": { port: data, say: rubbish },
    "HTTP to data": { port: data, say: request },
    "a preamble and more": {
      port: data,
      say: base64(Buffer.concat([Buffer.from(forged[1] ?? "", "base64"), randomBytes(100)])),
    },
    "half a preamble": { port: data, say: base64(Buffer.from([1, 0, 0])) },
    "nothing to data": { port: data },
  };
  // Each twice: what was said once is no better when it is said again.
  for (const [i, say] of [...forged, ...forged].entries()) calls[`forged preamble ${i}`] = { port: data, say };
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, { host, patienceMs: 40_000, ...call }]));
}

underAttack((given) => {
  test("containers without any way out use the tunnels", async () => {
    for (const from of [given.attacker, given.player])
      for (const tunnel of ["first", "second"]) expect(await sayHello(from, given.status, tunnel)).toEqual([answered]);
  });

  test("of all ports of the client proxy the tunnels' are open, and no others", async () => {
    const entrances = ["first", "second"].map((tunnel) => entranceOf(given.status, tunnel));
    const found = await given.attacker.scan(entrances[0]?.host ?? "");
    expect(found).toEqual({ open: entrances.map(({ port }) => port).sort((a, b) => a - b), unanswered: [] });
  }, 300_000);

  test("the host is out of reach by all its addresses, that on the proxies' own network included", async () => {
    const { machine, status } = given;
    const all = Object.values(networkInterfaces()).flatMap((those) => those ?? []);
    const hosts = new Set(
      all.flatMap(({ family, address, internal }) => (family === "IPv4" && !internal ? address : [])),
    );
    expect(hosts).toContain((await managementOf(machine, status)).host);
    const kubeconfig = readFileSync(join(machine.dataDir, "kubeconfig"), "utf8");
    const apiServer = Number(/server: .*:(\d+)/.exec(kubeconfig)?.[1]);
    expect(apiServer).toBeGreaterThan(0);
    const ports = [portOf(given.other), portOf(given.server), machine.httpPort, apiServer];
    const calls = [...hosts].flatMap((host) => ports.map((port) => ({ host, port, patienceMs })));
    for (const from of [given.attacker, given.player])
      expect(await from.knock(calls)).toEqual(calls.map(() => unreachable));
  });

  test("control and data are out of reach, also with a route through the client proxy", async () => {
    const { attacker, status } = given;
    const { proxy, host, control, data } = await managementOf(given.machine, status);
    const through = entranceOf(status, "first");
    const calls = [control, data, through.port].map((port) => ({ host: proxy, port, patienceMs }));
    calls.push({ host, port: portOf(given.other), patienceMs });
    expect(await attacker.knock(calls)).toEqual(calls.map(() => unreachable));
    for (const address of [proxy, host]) await attacker.run("ip", "route", "add", address, "via", through.host);
    expect(await attacker.knock(calls)).toEqual(calls.map(() => unreachable));
  });

  test("a client proxy that is taken over reaches nobody: neither the host nor a pod", async () => {
    const { machine, client, instance, status } = given;
    await using inside = await Attacker.enter(machine, `container:${status.clientProxyContainerId}`);
    const { items } = await client.list(Pods, { namespace: instance.instanceNamespace });
    const places = [(await managementOf(machine, status)).host, ...items.map(({ status }) => status?.podIP ?? "")];
    expect(places).toHaveLength(3);
    const ports = [portOf(given.other), 8080, 9000];
    const calls = places.flatMap((host) => ports.map((port) => ({ host, port, patienceMs })));
    expect(await inside.knock(calls)).toEqual(calls.map(() => unreachable));
    // Nor does it pass on what others send from one of its networks to the other.
    expect(await inside.run("cat", "/proc/sys/net/ipv4/ip_forward")).toBe("0\n");
  });

  test("nobody but its owner can open the server proxy's socket", () => {
    const directory = dirname(given.status.serverProxyStdErrFile ?? "");
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, "server.sock")).isSocket()).toBe(true);
  });

  test("who stands where the server proxy stands, and does not have its key, is turned away and told nothing", async () => {
    const { proxy, control, data } = await managementOf(given.machine, given.status);
    const calls = wrongCalls(proxy, control, data);
    const outcomes = await knockOnAll(Object.values(calls));
    const bad = Object.keys(calls).filter((_, i) => {
      const { end, told } = outcomes[i] ?? { end: "silent", told: "" };
      return told !== "" || (end !== "reset" && end !== "ended");
    });
    expect(bad).toEqual([]);
    // More than wait in the pool: control still works, too.
    expect(await sayHello(given.player, given.status, "first", 30)).toEqual(Array(30).fill(answered));
  });

  describe("on a network whose traffic nobody filters", () => {
    test("control and data turn away who comes by a route through the client proxy, and so nobody comes to the host", async () => {
      const { machine, client } = given;
      const spec = { mode: "session", networkName: `berg-test-open-${process.pid}` };
      await client.create(ContainerNetworks, { metadata: { name: "open" }, spec } as never);
      const status = await startProxy(client, "open", "open", [{ name: "first", serverPort: portOf(given.server) }]);
      await using attacker = await Attacker.enter(machine, spec.networkName);
      expect(await sayHello(attacker, status, "first")).toEqual([answered]);
      const { proxy, host, control, data } = await managementOf(machine, status);
      const through = entranceOf(status, "first");
      expect((await attacker.scan(through.host)).open).toEqual([through.port]);
      for (const address of [proxy, host]) await attacker.run("ip", "route", "replace", address, "via", through.host);
      const calls = wrongCalls(proxy, control, data);
      const outcomes = await attacker.knock(Object.values(calls));
      const bad = Object.keys(calls).filter((_, i) => outcomes[i]?.told !== "" || outcomes[i]?.end === "silent");
      expect(bad).toEqual([]);
      expect(await attacker.knock([{ host, port: portOf(given.other), patienceMs }])).toEqual([unreachable]);
      expect(await sayHello(attacker, status, "first", 30)).toEqual(Array(30).fill(answered));
    }, 300_000);
  });
});
