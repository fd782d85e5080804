import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { systemClock } from "@berg/kube";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeProxyCertificate, pairTls, readPeer } from "../pair/certificate.ts";
import { ProxyPair } from "../pair/testing/proxy-pair.ts";
import { TunnelControl } from "../protocol/tunnel_pb.ts";
import { connectEnd, startEcho, type TestServer } from "../streams/testing/ends.ts";

/** What an attacker who reaches the control port can do: nothing, and nothing that the pair would notice. */
describe("the control port", { timeout: 120_000 }, () => {
  let pair: ProxyPair;
  let echo: TestServer;
  let tunnelPort: number;
  const host = "127.0.0.1";
  const port = () => pair.client.introduction.controlPort;

  beforeAll(async () => {
    echo = await startEcho();
    // Loopback has more addresses than this, so that there is an outside to come from.
    pair = await ProxyPair.start({ environment: { BERG_TUNNEL_MANAGEMENT: "127.0.0.0/30" } });
    tunnelPort = await pair.tunnel(1, echo.port);
  }, 120_000);
  afterAll(async () => {
    await pair[Symbol.asyncDispose]();
    await echo[Symbol.asyncDispose]();
  });

  async function stillWorks(): Promise<void> {
    const end = connectEnd(tunnelPort);
    end.socket.end("hello");
    await expect.poll(() => [end.text, end.state]).toEqual(["hello", "end"]);
    expect(pair.client.process.exitCode).toBe(null);
    expect(pair.events.at(-1)).toMatchObject({ case: "connected" });
  }

  /** Resolves when the other side has closed it; with all that it said. */
  async function closed(socket: Socket): Promise<string> {
    let said = "";
    socket
      .on("error", () => {})
      .on("data", (data) => {
        said += data.toString("latin1");
      });
    await new Promise((resolve) => socket.on("close", resolve));
    return said;
  }

  /** A call with these credentials; the certificate of the client proxy is not asked for. */
  async function callWith(tls: ConnectionOptions): Promise<unknown> {
    const transport = createGrpcTransport({
      baseUrl: `https://${host}:${port()}`,
      nodeOptions: { ...tls, rejectUnauthorized: false },
      defaultTimeoutMs: 20_000,
    });
    return createClient(TunnelControl, transport).shutdown({});
  }

  test("refuses a caller without a certificate", async () => {
    await expect(callWith({})).rejects.toThrow();
    await stillWorks();
  });

  test("refuses a caller with a certificate of its own, even one that says the same of itself", async () => {
    const own = makeProxyCertificate("server proxy", systemClock);
    await expect(callWith({ key: own.key, cert: own.certificate })).rejects.toThrow();
    await stillWorks();
  });

  test("refuses the certificate of the pair without its key", async () => {
    const { key } = makeProxyCertificate("server proxy", systemClock);
    await expect((async () => callWith({ key, cert: pair.server.certificate }))()).rejects.toThrow();
    await stillWorks();
  });

  test("is not believed by a server proxy that expects another certificate", async () => {
    const other = makeProxyCertificate("client proxy", systemClock).certificate;
    const peer = readPeer(other, "test");
    const own = makeProxyCertificate("server proxy", systemClock);
    const socket = connectTls({ ...pairTls(own, peer), host, port: port(), checkServerIdentity: () => undefined });
    const [error] = await once(socket, "error");
    expect(error.code).toMatch(/SIGNATURE|CERT/);
  });

  test("refuses HTTP/1, rubbish and plain HTTP/2", async () => {
    for (const words of [
      "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
      "\0".repeat(10_000),
      `\x16\x03\x01\xff\xff${"x".repeat(100)}`,
    ]) {
      const socket = connect(port(), host);
      socket.write(words);
      expect(await closed(socket)).not.toContain("HTTP/1.1 200");
    }
    const plain = connectHttp2(`http://${host}:${port()}`);
    plain.on("error", () => {});
    await once(plain, "close");
    await stillWorks();
  });

  test("keeps a place for the right one among 500 half-open connections, and ends those", async () => {
    await using late = await ProxyPair.start({ isConnected: false });
    const { controlPort } = late.client.introduction;
    const crowd = Array.from({ length: 500 }, () => connect(controlPort, host));
    const gone = Promise.all(crowd.map(closed));
    // A byte or two, as a slow-loris does it, buys no time.
    for (const socket of crowd) socket.write("\x16");
    await expect(late.connect(controlPort)).resolves.toBe(undefined);
    // Those that are too many go at once.
    expect(readdirSync(`/proc/${late.client.process.pid}/fd`).length).toBeLessThan(200);
    await gone;
    expect(await late.control.listTunnels()).toEqual([]);
    await expect(late.tunnel(1, echo.port)).resolves.toBeGreaterThan(0);
  });

  test("turns away whoever does not come from the management network", async () => {
    /** TLS lets a client speak before it looks at the client's certificate. */
    const isHeard = (localAddress: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connectTls({ socket: connect({ host, port: port(), localAddress }), rejectUnauthorized: false });
        socket.on("error", () => resolve(false)).on("close", () => resolve(false));
        socket.on("secureConnect", () => {
          resolve(true);
          socket.destroy();
        });
      });
    expect(await isHeard("127.0.0.2")).toBe(true);
    expect(await isHeard("127.0.0.9")).toBe(false);
    await stillWorks();
  });

  test("takes the one with the right certificate back after all that", async () => {
    await pair.connect(port());
    await stillWorks();
  });
});
