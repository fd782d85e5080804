/** A real resolver asks, over UDP and TCP. */
import { Socket as UdpSocket } from "node:dgram";
import type { RecordWithTtl } from "node:dns";
import { Resolver } from "node:dns/promises";
import { connect } from "node:net";
import { type Logger, type Service, silentLogger, systemClock } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { afterEach, expect, test, vi } from "vitest";
import type { Asker } from "./answer.ts";
import { recordTypes } from "./message.ts";
import { type DnsServer, startDnsServer } from "./server.ts";
import { query } from "./testing/query.ts";
import { framed, hostUpstream, type Upstream } from "./upstream.ts";

const service = (name: string, spec: NonNullable<Service["spec"]>): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "alice", name },
  spec: { ports: [{ port: 80 }], ...spec },
});
const reach: Asker["reach"] = {
  namespace: "alice",
  services: [
    service("web", { clusterIP: "10.96.1.1" }),
    service("far", { type: "ExternalName", externalName: "far.example.com" }),
    service("near", { type: "ExternalName", externalName: "web.alice.svc.cluster.local" }),
    service("self", { type: "ExternalName", externalName: "self.alice.svc.cluster.local" }),
    service("many", { clusterIP: "None" }),
  ],
  slices: [
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { namespace: "alice", name: "many", labels: { "kubernetes.io/service-name": "many" } },
      addressType: "IPv4",
      endpoints: Array.from({ length: 120 }, (_, i) => ({ addresses: [`10.202.1.${i + 2}`] })),
    },
  ],
  apiServer: undefined,
  isPodAddress: () => false,
};
const open: Asker = { reach, mayAskOutside: true };
const closed: Asker = { reach, mayAskOutside: false };
const nobody: Upstream = {
  relay: () => Promise.reject(new Error("nobody may be asked")),
  addresses: () => Promise.reject(new Error("nobody may be asked")),
};

afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of started.splice(0)) await server[Symbol.asyncDispose]();
});
const started: DnsServer[] = [];

async function start(asker: Asker | undefined, upstream: Upstream = nobody) {
  const options = { askerAt: () => asker, upstream, clock: systemClock, log: silentLogger, host: "127.0.0.1" };
  const server = await startDnsServer(options);
  started.push(server);
  const resolver = new Resolver({ timeout: 60_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.port}`]);
  return { server, resolver };
}
/** Of another server of this kind, which stands for the world's. */
const asUpstream = ({ port }: DnsServer) =>
  hostUpstream({ clock: systemClock, servers: async () => [{ address: "127.0.0.1", port }] });

test("a pod learns the names of its namespace", async () => {
  const { resolver } = await start(closed);
  expect(await resolver.resolve4("Web.alice.svc.cluster.local")).toEqual(["10.96.1.1"]);
  const [record] = (await resolver.resolve4("web.alice.svc.cluster.local", { ttl: true })) as RecordWithTtl[];
  expect(record?.ttl).toBe(5);
  await expect(resolver.resolve4("none.alice.svc.cluster.local")).rejects.toThrow("ENOTFOUND");
  await expect(resolver.resolve6("web.alice.svc.cluster.local")).rejects.toThrow("ENODATA");
});

test("an answer too long for UDP is got over TCP", async () => {
  const { resolver } = await start(closed);
  expect(await resolver.resolve4("many.alice.svc.cluster.local")).toHaveLength(120);
});

test("whoever is no pod, or may not ask, is refused", async () => {
  const { resolver } = await start(undefined);
  await expect(resolver.resolve4("web.alice.svc.cluster.local")).rejects.toThrow("EREFUSED");
});

test("names outside are asked for there, over the same way, and the answer is passed on", async () => {
  const { server: world } = await start(closed);
  // To a pod of another cluster, so to say, the names of this one are outside.
  const seen: string[] = [];
  const upstream: Upstream = {
    ...nobody,
    relay(message, over) {
      seen.push(over);
      return asUpstream(world).relay(renamed(message, "cluster", "example"), over);
    },
  };
  const renamed = (message: Buffer, to: string, from: string) =>
    Buffer.from(message.toString("latin1").replace(from, to), "latin1");
  const { server } = await start(open, upstream);
  for (const over of ["udp", "tcp"] as const) {
    const answer = await asUpstream(server).relay(query("web.alice.svc.example.local", recordTypes.A), over);
    expect(answer.readUInt16BE(0)).toBe(0x1234);
    expect(answer.subarray(-4)).toEqual(Buffer.from([10, 96, 1, 1]));
  }
  expect(seen).toEqual(["udp", "tcp"]);
});

test("a pod without outbound traffic finds no name outside, and nobody is asked", async () => {
  let asked = 0;
  const counting: Upstream = {
    async relay(message) {
      asked++;
      return message;
    },
    async addresses() {
      asked++;
      return [];
    },
  };
  const { resolver } = await start(closed, counting);
  for (const name of ["secret.example.com", "far.alice.svc.cluster.local", "1.2.0.192.in-addr.arpa"])
    await expect(resolver.resolve4(name)).rejects.toThrow();
  expect(asked).toBe(0);
});

test("another name for a host is followed, within the cluster and outside", async () => {
  const { resolver } = await start(open, { ...nobody, addresses: async () => ["192.0.2.7"] });
  expect(await resolver.resolve4("near.alice.svc.cluster.local")).toEqual(["10.96.1.1"]);
  expect(await resolver.resolve4("far.alice.svc.cluster.local")).toEqual(["192.0.2.7"]);
  await expect(resolver.resolve4("self.alice.svc.cluster.local")).rejects.toThrow("ESERVFAIL");
});

test("where nobody outside answers, that is said", async () => {
  const { resolver } = await start(open);
  await expect(resolver.resolve4("example.com")).rejects.toThrow("ESERVFAIL");
});

test("questions over TCP may come in pieces and several at once", async () => {
  const { server } = await start(closed);
  const socket = connect(server.port, "127.0.0.1");
  const questions = Buffer.concat([1, 2, 3].map(() => framed(query("web.alice.svc.cluster.local", recordTypes.A))));
  for (const byte of questions) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
  let received = Buffer.alloc(0);
  for await (const chunk of socket) received = Buffer.concat([received, chunk]);
  const size = received.readUInt16BE(0) + 2;
  expect(received.length).toBe(3 * size);
  expect(received.subarray(size - 4, size)).toEqual(Buffer.from([10, 96, 1, 1]));
});

test("a datagram from port 0, to which nothing can be sent, is dropped", async () => {
  const bind = vi.spyOn(UdpSocket.prototype, "bind");
  const send = vi.spyOn(UdpSocket.prototype, "send");
  const { resolver } = await start(closed);
  const [udp] = bind.mock.contexts as UdpSocket[];
  const question = query("web.alice.svc.cluster.local", recordTypes.A);
  udp?.emit("message", question, { address: "127.0.0.1", family: "IPv4", port: 0, size: question.length });
  expect(await resolver.resolve4("web.alice.svc.cluster.local")).toEqual(["10.96.1.1"]);
  expect(send.mock.calls.map((parts: unknown[]) => parts[1])).not.toContain(0);
});

test("whatever a question breaks, the server goes on, and says so once a minute at most", async () => {
  const clock = new FakeClock();
  const said: string[] = [];
  const log: Logger = { ...silentLogger, error: (_, text) => void said.push(text) };
  const askerAt = () => {
    throw new Error("it broke");
  };
  const server = await startDnsServer({ askerAt, upstream: nobody, clock, log, host: "127.0.0.1" });
  started.push(server);
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.port}`]);
  const ask = () => expect(resolver.resolve4("web.alice.svc.cluster.local")).rejects.toThrow("ETIMEOUT");
  await ask();
  await ask();
  const socket = connect(server.port, "127.0.0.1");
  socket.write(framed(query("web.alice.svc.cluster.local", recordTypes.A)));
  await new Promise((closes) => socket.on("close", closes).resume());
  expect(said).toEqual(["a question for a name could not be answered"]);
  await clock.advance(60_000);
  await ask();
  await expect.poll(() => said).toHaveLength(2);
});

test("one pod holds a few connections, and no more", async () => {
  const { server } = await start(closed);
  const sockets = Array.from({ length: 12 }, () => connect(server.port, "127.0.0.1").on("error", () => {}));
  const ended = () => sockets.filter(({ closed: isClosed, readableEnded }) => isClosed || readableEnded).length;
  await expect.poll(ended).toBe(2);
  expect(sockets.every(({ connecting }) => !connecting)).toBe(true);
  for (const socket of sockets) socket.destroy();
});
