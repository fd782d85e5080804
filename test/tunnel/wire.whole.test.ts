/**
 * What people really send, through both programs: the client and its server must not notice that anything is between
 * them. See programs.real.test.ts for other programs' own.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer as createHttpServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { ProxyPair } from "../../packages/tunnel/src/pair/testing/proxy-pair.ts";
import {
  connectEnd,
  End,
  startEcho,
  startServer,
  type TestServer,
} from "../../packages/tunnel/src/streams/testing/ends.ts";
import { descriptorsOf } from "./descriptors.ts";
import { receiveMuch, sendMuch } from "./transfer.ts";

const mebibyte = 1024 * 1024;
const isFull = process.env.BERG_TRANSFER === "full";
const [transferred, transferBytes] = isFull ? ["5 GiB", 5120 * mebibyte] : ["256 MiB", 256 * mebibyte];

describe("through the pair", () => {
  let pair: ProxyPair;
  let lastTunnel = 0;
  const tunnelTo = (port: number) => pair.tunnel(++lastTunnel, port);

  beforeAll(async () => {
    pair = await ProxyPair.start();
  }, 60_000);
  afterAll(() => pair[Symbol.asyncDispose]());

  describe("HTTP", () => {
    /** Says back what it was sent. */
    async function startHttp() {
      const server = createHttpServer((asked, answer) => void asked.pipe(answer)).listen(0, "127.0.0.1");
      // However slow the machine is.
      server.keepAliveTimeout = 0;
      const connections: Socket[] = [];
      server.on("connection", (socket) => connections.push(socket));
      await once(server, "listening");
      return {
        port: await tunnelTo((server.address() as AddressInfo).port),
        connections,
        async [Symbol.asyncDispose]() {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    }
    async function post(port: number, agent: Agent, body: Buffer): Promise<Buffer> {
      const asked = request({ port, host: "127.0.0.1", agent, method: "POST" });
      asked.end(body);
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      return Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>));
    }

    test.each([
      { connections: 1, requests: 200 },
      { connections: 6, requests: 300 },
    ])(
      "keeps $connections connections alive for $requests requests",
      async ({ connections, requests }) => {
        await using server = await startHttp();
        const agent = new Agent({ keepAlive: true, maxSockets: connections });
        try {
          const bodies = Array.from({ length: requests }, (_, i) => randomBytes(i % 10 === 0 ? 200_000 : i + 1));
          const answers = await Promise.all(bodies.map((body) => post(server.port, agent, body)));
          expect(answers.every((answer, i) => bodies[i]?.equals(answer))).toBe(true);
          expect(server.connections).toHaveLength(connections);
        } finally {
          agent.destroy();
        }
      },
      120_000,
    );
  });

  test("WebSockets carry text, 1 MiB at once and small messages in their order, and say why they close", async () => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    try {
      server.on("connection", (socket) => {
        socket.on("message", (data, isBinary) => socket.send(data as Buffer, { binary: isBinary }));
      });
      await once(server, "listening");
      const client = new WebSocket(`ws://127.0.0.1:${await tunnelTo((server.address() as AddressInfo).port)}`);
      client.binaryType = "arraybuffer";
      const received: (string | ArrayBuffer)[] = [];
      client.addEventListener("message", ({ data }) => received.push(data));
      await once(client, "open");
      const large = randomBytes(mebibyte);
      const small = Array.from({ length: 500 }, (_, i) => `message ${i}`);
      client.send("hello");
      client.send(large);
      for (const text of small) client.send(text);
      await expect.poll(() => received.length, { timeout: 60_000 }).toBe(502);
      expect(received[0]).toBe("hello");
      expect(Buffer.from(received[1] as ArrayBuffer).equals(large)).toBe(true);
      expect(received.slice(2)).toEqual(small);
      const closed = once(client, "close");
      for (const socket of server.clients) socket.close(4001, "over");
      expect((await closed)[0]).toMatchObject({ code: 4001, reason: "over", wasClean: true });
    } finally {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    }
  }, 120_000);

  describe("half-closed", () => {
    const answer = randomBytes(mebibyte);

    test("by the client, it still brings 1 MiB from the server", async () => {
      await using server = await startServer((socket) => socket.resume().on("end", () => socket.end(answer)));
      const client = connectEnd(await tunnelTo(server.port));
      client.socket.end("that is all");
      await expect.poll(() => client.state).toBe("end");
      expect(client.received.equals(answer)).toBe(true);
    });

    test("by the server, it still brings 1 MiB to it", async () => {
      const ends: End[] = [];
      await using server = await startServer((socket) => {
        ends.push(new End(socket));
        socket.end("that is all");
      });
      const client = connectEnd(await tunnelTo(server.port));
      await expect.poll(() => [client.state, client.text]).toEqual(["end", "that is all"]);
      client.socket.end(answer);
      await expect.poll(() => ends[0]?.state).toBe("end");
      expect(ends[0]?.received.equals(answer)).toBe(true);
    });
  });

  describe(`${transferred} (5 GiB with BERG_TRANSFER=full)`, { timeout: isFull ? 1_800_000 : 180_000 }, () => {
    test("come whole from the server, and nothing is added", async () => {
      const sent: Promise<string>[] = [];
      await using server = await startServer((socket) => void sent.push(sendMuch(socket.resume(), transferBytes)));
      const client = connect({ port: await tunnelTo(server.port), host: "127.0.0.1" });
      const { bytes, checksum } = await receiveMuch(client);
      expect({ bytes, checksum }).toEqual({ bytes: transferBytes, checksum: await sent[0] });
    });

    test("come whole to the server, and nothing is added", async () => {
      const received: ReturnType<typeof receiveMuch>[] = [];
      await using server = await startServer((socket) => {
        received.push(receiveMuch(socket));
        socket.on("end", () => socket.end());
      });
      const client = connect({ port: await tunnelTo(server.port), host: "127.0.0.1" });
      const closed = once(client.resume(), "close");
      const checksum = await sendMuch(client, transferBytes);
      await closed;
      expect(await received[0]).toEqual({ bytes: transferBytes, checksum });
    });
  });

  describe(`100 users who connect and close, ${isFull ? "for a minute" : "30 times each (for a minute with BERG_TRANSFER=full)"}`, () => {
    let echo: TestServer;
    beforeAll(async () => {
      echo = await startEcho();
    });
    afterAll(() => echo[Symbol.asyncDispose]());

    const proxies = () => [pair.client.process.pid ?? 0, pair.server.pid];
    const held = () => proxies().map((pid) => descriptorsOf(pid, pair.client.introduction.dataPort));
    async function say(port: number, text: string): Promise<string> {
      const socket = connect({ port, host: "127.0.0.1" });
      socket.end(text);
      return Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
    }

    test("all get their answer, and no descriptor is left over in either proxy", async () => {
      const port = await tunnelTo(echo.port);
      expect(await say(port, "first")).toBe("first");
      const before = held();
      const wrong: string[] = [];
      let visits = 0;
      const end = performance.now() + 60_000;
      const user = async (name: number) => {
        for (let time = 0; isFull ? performance.now() < end : time < 30; time++) {
          visits++;
          const text = `user ${name} for the ${time}. time`;
          const answer = await say(port, text).catch(String);
          if (answer !== text) wrong.push(`${text}: ${answer}`);
        }
      };
      await Promise.all(Array.from({ length: 100 }, (_, name) => user(name)));
      expect(wrong).toEqual([]);
      expect(echo.connections).toHaveLength(visits + 1);
      const leftOver = () => held().map(({ others }, i) => Math.max(0, others - (before[i]?.others ?? 0)));
      await expect.poll(leftOver).toEqual([0, 0]);
      // Those of the pool are not among them, and must be few as well.
      for (const { dataConnections } of held()) expect(dataConnections).toBeLessThanOrEqual(256);
    }, 180_000);
  });
});
