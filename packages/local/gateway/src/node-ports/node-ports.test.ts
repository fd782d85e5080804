/** NodePorts on the embedded control plane, with real sockets. */
import { createSocket, Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import {
  type Client,
  createClient,
  Events,
  Namespaces,
  Services,
  silentLogger,
  systemClock,
  unlimited,
} from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { defaultLimits, type Limits } from "../proxy/limits.ts";
import { service } from "../testing/objects.ts";
import { closeAll, dial, everythingFrom, exchange, freePort, onClose, tcpBackend } from "../testing/servers.ts";
import { startNodePorts } from "./node-ports.ts";
import { TcpPorts } from "./tcp-ports.ts";
import { UdpPort } from "./udp-port.ts";
import { UdpPorts } from "./udp-ports.ts";
import { wantedPorts } from "./wanted-ports.ts";

afterEach(closeAll);

describe("the ports that are wanted", () => {
  const ports = [
    { name: "a", port: 1, nodePort: 30_001 },
    { name: "b", port: 2, nodePort: 30_002, protocol: "UDP" },
    { name: "c", port: 3 },
    { name: "d", port: 4, nodePort: 30_004, protocol: "SCTP" },
  ];
  test.each(["NodePort", "LoadBalancer"])("are those of Services of type %s", (type) => {
    const { tcp, udp } = wantedPorts([service("x/web", { type, ports })]);
    expect([...tcp].map(([port, { target }]) => [port, target])).toEqual([
      [30_001, { service: "x/web", portName: "a" }],
    ]);
    expect([...udp].map(([port, { target }]) => [port, target])).toEqual([
      [30_002, { service: "x/web", portName: "b" }],
    ]);
  });

  test("are none of others'", () => {
    expect(wantedPorts([service("x/web", { type: "ClusterIP", ports })]).tcp.size).toBe(0);
  });
});

const target = (port: number) =>
  wantedPorts([service("x/web", { type: "NodePort", ports: [{ port: 1, nodePort: port }] })]).tcp;

async function tcpPort(endpoints: number[], limits: Partial<Limits> = {}) {
  const port = await freePort();
  const ports = new TcpPorts({
    host: "127.0.0.1",
    endpointsOf: () => endpoints.map((port) => ({ address: "127.0.0.1", port })),
    limits: { ...defaultLimits, ...limits },
    random: () => 0,
    log: silentLogger,
  });
  onClose(() => ports.stop());
  expect(await ports.set(target(port))).toEqual(new Map());
  return { port, ports };
}

const greetAndCount = (socket: Socket) => {
  let got = 0;
  socket.write("hello ");
  socket.on("data", (piece) => {
    got += piece.length;
  });
  socket.on("end", () => socket.end(`got ${got}`));
};

/** How it ends: a port that is open and leads nowhere is reset, one that is closed refuses. */
const outcome = async (port: number) => {
  try {
    const socket = await dial(port);
    const [error] = await once(socket, "error");
    return error.code;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
};

describe("TCP", () => {
  test("carries bytes both ways, and each side's end apart", async () => {
    const { port, ports } = await tcpPort([await freePort(), await tcpBackend(greetAndCount)]);
    expect(await exchange(port, "x".repeat(1_000_000))).toBe("hello got 1000000");
    await expect.poll(() => ports.connections.size).toBe(0);
  });

  test("the pod may end first, and still listen", async () => {
    let heard = "";
    const backend = await tcpBackend((socket) => {
      socket.end("bye");
      socket.on("data", (piece) => {
        heard += piece;
      });
    });
    const { port } = await tcpPort([backend]);
    const socket = await dial(port);
    expect(await everythingFrom(socket)).toBe("bye");
    socket.end("still here");
    await expect.poll(() => heard).toBe("still here");
  });

  test.each([
    ["no pod is ready", () => []],
    ["none accepts", async () => [await freePort()]],
    ["the pod resets it", async () => [await tcpBackend((socket) => socket.resetAndDestroy())]],
  ])("is reset where %s", async (_, endpoints) => {
    const { port, ports } = await tcpPort(await endpoints());
    expect(await outcome(port)).toBe("ECONNRESET");
    await expect.poll(() => ports.connections.size).toBe(0);
  });

  test("a reset by the client reaches the pod", async () => {
    const seen = Promise.withResolvers<string>();
    const backend = await tcpBackend((socket) => {
      socket.write("hello");
      socket.on("error", (error: NodeJS.ErrnoException) => seen.resolve(error.code ?? ""));
    });
    const { port } = await tcpPort([backend]);
    const socket = await dial(port);
    await once(socket, "data");
    socket.resetAndDestroy();
    expect(await seen.promise).toBe("ECONNRESET");
  });

  test("is cut off where nothing moves, and above the limit", async () => {
    const { port, ports } = await tcpPort([await tcpBackend(greetAndCount)], { tunnelIdleMs: 200, connections: 1 });
    const first = await dial(port);
    const second = await dial(port);
    expect(await everythingFrom(second)).toBe("");
    expect(ports.connections.size).toBe(1);
    expect(await everythingFrom(first)).toBe("hello ");
    await expect.poll(() => ports.connections.size).toBe(0);
  });

  test.each(["client", "pod"])(
    "is cut off after a while where the %s has closed its side and nothing moves",
    async (who) => {
      const connected = Promise.withResolvers<void>();
      const backend = await tcpBackend((socket) => {
        connected.resolve();
        socket.resume();
        if (who === "pod") socket.end("bye");
      });
      const { port, ports } = await tcpPort([backend], { halfClosedMs: 100 });
      const socket = await dial(port);
      socket.resume();
      if (who === "client") socket.end("bye");
      await connected.promise;
      await expect.poll(() => ports.connections.size).toBe(0);
    },
  );
});

describe("UDP", () => {
  const answering = async (name: string) => {
    const socket = createSocket("udp4");
    socket.on("message", (message, from) => socket.send(`${name} ${from.port} ${message}`, from.port, from.address));
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    onClose(() => socket.close());
    return socket.address().port;
  };
  const client = async () => {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    onClose(() => socket.close());
    return async (port: number, text: string) => {
      socket.send(text, port, "127.0.0.1");
      const [answer] = await once(socket, "message");
      return String(answer).split(" ");
    };
  };

  test("one client talks to one pod, by one address, and another to another", async () => {
    const pods = [await answering("a"), await answering("b")];
    const port = await freePort();
    let draw = 0;
    const open = await UdpPort.open({
      host: "127.0.0.1",
      port,
      endpoints: () => pods.map((port) => ({ address: "127.0.0.1", port })),
      clock: systemClock,
      random: () => draw,
    });
    onClose(() => open.close());
    const [one, two] = [await client(), await client()];
    const [pod, from, text] = await one(port, "hello");
    expect([pod, text]).toEqual(["a", "hello"]);
    draw = 0.5;
    expect(await one(port, "again")).toEqual(["a", from, "again"]);
    expect((await two(port, "me"))[0]).toBe("b");
    expect(open.conversations).toBe(2);
  });

  test("a conversation that has gone silent is forgotten, one that goes on is not", async () => {
    const pod = await answering("a");
    const port = await freePort();
    const clock = new FakeClock();
    const endpoints = () => [{ address: "127.0.0.1", port: pod }];
    const open = await UdpPort.open({ host: "127.0.0.1", port, endpoints, clock, random: () => 0 });
    onClose(() => open.close());
    const [one, two] = [await client(), await client()];
    await one(port, "hello");
    await two(port, "hello");
    await clock.advance(100_000);
    await two(port, "hello");
    await clock.advance(60_000);
    expect(open.conversations).toBe(1);
    await clock.advance(200_000);
    expect(open.conversations).toBe(0);
  });

  test("a pod that has gone is replaced by one that is there", async () => {
    const pods = [await freePort()];
    const port = await freePort();
    let asked = 0;
    const endpoints = () => {
      asked++;
      return pods.map((port) => ({ address: "127.0.0.1", port }));
    };
    const open = await UdpPort.open({ host: "127.0.0.1", port, endpoints, clock: systemClock, random: () => 0 });
    onClose(() => open.close());
    const socket = createSocket("udp4");
    onClose(() => socket.close());
    socket.send("lost", port, "127.0.0.1");
    await expect.poll(() => [asked, open.conversations]).toEqual([1, 0]);
    pods[0] = await answering("new");
    const answer = once(socket, "message");
    socket.send("found", port, "127.0.0.1");
    expect(String((await answer)[0])).toMatch(/^new \d+ found$/);
  });

  test("what comes from port 0, where no answer can go, is dropped", async () => {
    const bound = vi.spyOn(UdpSocket.prototype, "bind");
    onTestFinished(() => bound.mockRestore());
    const endpoints = () => [{ address: "127.0.0.1", port: 9 }];
    const port = await freePort();
    const open = await UdpPort.open({ host: "127.0.0.1", port, endpoints, clock: systemClock, random: () => 0 });
    onClose(() => open.close());
    const socket = bound.mock.contexts[0] as UdpSocket;
    const receive = (port: number) =>
      socket.emit("message", Buffer.from("x"), { address: "127.0.0.1", port, family: "IPv4", size: 1 });
    receive(0);
    expect(open.conversations).toBe(0);
    receive(1);
    expect(open.conversations).toBe(1);
  });

  test("a pod to which there is no way is forgotten", async () => {
    let asked = 0;
    const endpoints = () => {
      asked++;
      // No socket may connect there.
      return [{ address: "255.255.255.255", port: 9 }];
    };
    const port = await freePort();
    const open = await UdpPort.open({ host: "127.0.0.1", port, endpoints, clock: systemClock, random: () => 0 });
    onClose(() => open.close());
    const socket = createSocket("udp4");
    onClose(() => socket.close());
    socket.send("lost", port, "127.0.0.1");
    await expect.poll(() => [asked, open.conversations]).toEqual([1, 0]);
  });

  test("ports close when they are not wanted, and say why they cannot be opened", async () => {
    const port = await freePort();
    const options = {
      host: "127.0.0.1",
      endpointsOf: () => [],
      limits: defaultLimits,
      random: () => 0,
      log: silentLogger,
    };
    const [first, second] = [
      new UdpPorts({ ...options, clock: systemClock }),
      new UdpPorts({ ...options, clock: systemClock }),
    ];
    onClose(() => Promise.all([first.stop(), second.stop()]));
    expect(await first.set(target(port))).toEqual(new Map());
    expect(await second.set(target(port))).toEqual(
      new Map([[port, `port ${port} of 127.0.0.1 is used by another process`]]),
    );
    await first.set(new Map());
    expect(await second.set(target(port))).toEqual(new Map());
  });
});

describe("Services of type NodePort", () => {
  const world = new AsyncDisposableStack();
  let client: Client;
  beforeAll(async () => {
    const { apiServer } = world.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false }));
    client = createClient({ connection: apiServer.connection, rate: unlimited });
    world.defer(() => client.close());
    world.use(await startNodePorts({ client, log: silentLogger }));
    await client.create(Namespaces, { metadata: { name: "x" } });
  });
  afterAll(() => world.disposeAsync());

  const make = (name: string, nodePort?: number) =>
    client.create(Services, {
      metadata: { namespace: "x", name },
      spec: { type: "NodePort", ports: [{ port: 80, ...(nodePort && { nodePort }) }] },
    });
  test("open their port, and close it when they go", async () => {
    const { spec } = await make("web");
    const port = spec?.ports?.[0]?.nodePort ?? 0;
    await expect.poll(() => outcome(port)).toBe("ECONNRESET");
    await client.delete(Services, "x", "web");
    await expect.poll(() => outcome(port)).toBe("ECONNREFUSED");
  });

  test("say by an event that the port is taken, and have it once it is free", async () => {
    const port = 30_000 + Math.floor(Math.random() * 2_000);
    const other = createServer().listen(port, "127.0.0.1");
    await once(other, "listening");
    await make("late", port);
    const events = async () =>
      (await client.list(Events, { namespace: "x" })).items
        .filter(({ involvedObject }) => involvedObject?.name === "late")
        .map(({ reason, message }) => `${reason}: ${message}`);
    await expect.poll(events).toEqual([`NodePortUnavailable: port ${port} of 127.0.0.1 is used by another process`]);
    other.close();
    await expect.poll(() => outcome(port)).toBe("ECONNRESET");
  });
});
