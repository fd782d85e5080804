import { silentLogger, systemClock } from "@berg/kube";
import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeProxyCertificate, readPeer } from "../pair/certificate.ts";
import { DeadManSwitch } from "../pair/dead-man-switch.ts";
import { Outbox } from "../pair/outbox.ts";
import { ClientProxy, type FromServerProxy, FromServerProxySchema, TunnelControl } from "../protocol/tunnel_pb.ts";
import { ControlConnection } from "../server-proxy/control-connection.ts";
import { dial } from "../server-proxy/dial.ts";
import { ClientStreams, type Session } from "../streams/index.ts";
import { ControlServer } from "./control-server.ts";
import { Sessions } from "./sessions.ts";

const address = "127.0.0.1";
const own = makeProxyCertificate("client proxy", systemClock);
const serverOwn = makeProxyCertificate("server proxy", systemClock);

/** Notes what it is told, and has a client that waits whenever a session begins. */
class NotedStreams extends ClientStreams {
  readonly notes: string[] = [];

  override useSession({ id }: Session): void {
    this.notes.push(`use ${id}`);
    this.onConnectionsWanted(3);
  }

  override endSession(): void {
    this.notes.push("end");
  }
}

describe("the sessions of a client proxy", () => {
  let streams: NotedStreams;
  let server: ControlServer;
  let presence: DeadManSwitch;
  let connections: ControlConnection[];

  beforeEach(async () => {
    connections = [];
    streams = new NotedStreams({
      dataAddress: address,
      dataPort: 0,
      isInside: () => true,
      clock: systemClock,
      log: silentLogger,
    });
    presence = new DeadManSwitch(systemClock, 600_000, () => {});
    const sessions = new Sessions(streams, presence, 77, systemClock, silentLogger);
    server = await ControlServer.start({
      own,
      peer: readPeer(serverOwn.certificate, "test"),
      address,
      port: 0,
      isInside: () => true,
      routes: (router) =>
        router
          .service(ClientProxy, { session: (from, context) => sessions.session(from, context) })
          .service(TunnelControl, { listTunnels: () => ({}) }),
      clock: systemClock,
      log: silentLogger,
    });
  });
  afterEach(async () => {
    for (const connection of connections) connection[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
    presence[Symbol.dispose]();
    await streams[Symbol.asyncDispose]();
  });

  /** A server proxy's side of one, as far as a test wants to play it. */
  async function begin(sessionId: number, keyBytes = 32) {
    const peer = { address, controlPort: server.port, ...readPeer(own.certificate, "test") };
    const connection = new ControlConnection(
      await dial(peer, serverOwn, systemClock, new AbortController().signal),
      systemClock,
    );
    connections.push(connection);
    const transport = connection.transport(20_000);
    const outbox = new Outbox<FromServerProxy>();
    const value = { sessionId, key: new Uint8Array(keyBytes) };
    outbox.push(create(FromServerProxySchema, { what: { case: "sessionKey", value } }));
    const answers = createClient(ClientProxy, transport).session(outbox, { timeoutMs: 0 })[Symbol.asyncIterator]();
    return { connection, answers, control: createClient(TunnelControl, transport) };
  }

  test("say first that they are ready, though clients wait already", async () => {
    const { answers } = await begin(1);
    const said = [(await answers.next()).value?.what, (await answers.next()).value?.what];
    expect(said).toMatchObject([
      { case: "sessionReady", value: { dataPort: 77 } },
      { case: "connectionsWanted", value: { count: 3 } },
    ]);
  });

  test("end with their connection, and are told to the streams", async () => {
    const { answers, connection } = await begin(1);
    await answers.next();
    connection[Symbol.dispose]();
    await expect.poll(() => streams.notes).toEqual(["use 1", "end"]);
  });

  test("are replaced by the newest, and the connection of the old one is cut", async () => {
    const old = await begin(1);
    await old.answers.next();
    await expect(old.control.listTunnels({})).resolves.toMatchObject({ tunnels: [] });
    const newer = await begin(2);
    await newer.answers.next();
    await expect(old.control.listTunnels({})).rejects.toThrow();
    await expect(newer.control.listTunnels({})).resolves.toMatchObject({ tunnels: [] });
    // The end of the old one is not the end of the new one.
    expect(streams.notes).toEqual(["use 1", "use 2"]);
  });

  test("do not begin with a key that is too short", async () => {
    const { answers } = await begin(1, 31);
    await expect(answers.next()).rejects.toThrow("a session begins with a key of 32 bytes");
    expect(streams.notes).toEqual([]);
  });
});
