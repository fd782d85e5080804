import { silentLogger, systemClock } from "@berg/kube";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ControlServer } from "../client-proxy/control-server.ts";
import { makeProxyCertificate, readPeer } from "../pair/certificate.ts";
import {
  ClientProxy,
  type FromClientProxy,
  FromClientProxySchema,
  type PrepareTunnelRequest,
  PrepareTunnelRequestSchema,
  TunnelControl,
  TunnelSchema,
} from "../protocol/tunnel_pb.ts";
import { ServerStreams, type Session } from "../streams/index.ts";
import { ClientProxyLink, type LinkState } from "./client-proxy-link.ts";

const own = makeProxyCertificate("server proxy", systemClock);
const clientOwn = makeProxyCertificate("client proxy", systemClock);
const address = "127.0.0.1";
const request = (tunnelId: number) =>
  create(PrepareTunnelRequestSchema, { tunnelId, name: `t${tunnelId}`, serverPort: 1 });

/** Stands for a client proxy that has what a test gives it: a real one never has other tunnels than it was told. */
class OtherClientProxy {
  readonly tunnels = new Map<number, { isEnding: boolean }>();
  readonly prepared: number[] = [];
  readonly deleted: number[] = [];
  readonly keys: { id: number; key: string }[] = [];
  /** Ends the session that is open. */
  hangUp: () => void = () => {};
  /** Called while tunnels are prepared or deleted. */
  meanwhile: () => void = () => {};

  readonly routes = (router: ConnectRouter) =>
    router
      .service(ClientProxy, { session: (from) => this.#session(from[Symbol.asyncIterator]()) })
      .service(TunnelControl, {
        listTunnels: () => ({
          tunnels: [...this.tunnels].map(([tunnelId, { isEnding }]) => create(TunnelSchema, { tunnelId, isEnding })),
        }),
        prepareTunnel: ({ tunnelId }) => {
          this.meanwhile();
          this.prepared.push(tunnelId);
          this.tunnels.set(tunnelId, { isEnding: false });
          return {};
        },
        deleteTunnel: ({ tunnelId }) => {
          this.meanwhile();
          this.deleted.push(tunnelId);
          this.tunnels.delete(tunnelId);
          return {};
        },
      });

  async *#session(
    from: AsyncIterator<{ what: { case?: string | undefined; value?: unknown } }>,
  ): AsyncGenerator<FromClientProxy> {
    const { value } = await from.next();
    const { sessionId, key } = value.what.value as { sessionId: number; key: Uint8Array };
    this.keys.push({ id: sessionId, key: Buffer.from(key).toString("hex") });
    yield create(FromClientProxySchema, { what: { case: "sessionReady", value: { dataPort: 1 } } });
    yield create(FromClientProxySchema, { what: { case: "connectionsWanted", value: { count: 7 } } });
    await new Promise<void>((resolve) => {
      this.hangUp = resolve;
    });
  }
}

/** Notes what it is told, and dials nothing. */
class NotedStreams extends ServerStreams {
  readonly sessions: Session[] = [];
  readonly counts: number[] = [];

  override useSession(session: Session): void {
    this.sessions.push(session);
  }

  override wanted(count: number): void {
    this.counts.push(count);
  }
}

async function start(tunnels: () => PrepareTunnelRequest[], other = new OtherClientProxy(), expected = clientOwn) {
  const log = silentLogger;
  const peer = readPeer(own.certificate, "test");
  const listening = { own: clientOwn, peer, address, port: 0, isInside: () => true };
  const server = await ControlServer.start({ ...listening, routes: other.routes, clock: systemClock, log });
  const states: LinkState[] = [];
  const streams = new NotedStreams({ clock: systemClock, log, onStreamFailed: () => {} });
  const link = new ClientProxyLink(
    { address, controlPort: server.port, ...readPeer(expected.certificate, "test") },
    { own, streams, tunnels, onState: (state) => states.push(state), clock: systemClock, random: () => 0.5, log },
  );
  return {
    other,
    link,
    states,
    streams,
    async [Symbol.asyncDispose]() {
      other.hangUp();
      await link[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("the link to the client proxy", () => {
  test("prepares what is missing and deletes what nobody wants, before it counts as connected", async () => {
    const other = new OtherClientProxy();
    other.tunnels.set(2, { isEnding: false }).set(3, { isEnding: false }).set(4, { isEnding: true });
    await using it = await start(() => [request(1), request(2)], other);
    await expect.poll(() => it.states).toEqual([{ isConnected: true }]);
    expect([other.prepared, other.deleted]).toEqual([[1], [3]]);
    expect(it.link.control).toBeDefined();
    await expect.poll(() => it.streams.counts).toEqual([7]);
  });

  test("deletes what was deleted while it prepared and deleted", async () => {
    const wanted = [request(1), request(2), request(3), request(4)];
    const other = new OtherClientProxy();
    other.tunnels.set(2, { isEnding: false }).set(3, { isEnding: false }).set(4, { isEnding: false });
    other.meanwhile = () => wanted.splice(0, wanted.length > 1 ? 1 : 0);
    await using it = await start(() => wanted, other);
    await expect.poll(() => it.states).toEqual([{ isConnected: true }]);
    expect([...other.tunnels.keys()]).toEqual([4]);
    expect(wanted.map(({ tunnelId }) => tunnelId)).toEqual([4]);
  });

  test("comes back after each end with a new key", async () => {
    await using it = await start(() => []);
    await expect.poll(() => it.states).toHaveLength(1);
    it.other.hangUp();
    await expect.poll(() => it.states.at(-1)?.isConnected && it.other.keys.length).toBe(2);
    expect(it.states[1]).toEqual({ isConnected: false, message: "the client proxy ended the session" });
    const [one, two] = it.other.keys;
    expect([one?.id, two?.id]).toEqual([1, 2]);
    expect(one?.key).toHaveLength(64);
    expect(two?.key).not.toBe(one?.key);
    expect(it.streams.sessions.map(({ key }) => key.toString("hex"))).toEqual([one?.key, two?.key]);
  });

  test("says that it is another's certificate, and is not connected", async () => {
    const expected = makeProxyCertificate("client proxy", systemClock);
    await using it = await start(() => [], new OtherClientProxy(), expected);
    await expect.poll(() => it.states.length).toBeGreaterThan(1);
    for (const state of it.states)
      expect(state).toEqual({
        isConnected: false,
        message: expect.stringMatching(
          /^cannot reach the client proxy at .*: it has another certificate than the client proxy of this pair$/,
        ),
      });
    expect(it.link.control).toBe(undefined);
    expect(it.other.keys).toEqual([]);
  });

  test("tries again where a tunnel cannot be restored", async () => {
    const other = new OtherClientProxy();
    let failures = 2;
    other.meanwhile = () => {
      if (failures-- > 0) throw new ConnectError("not now", Code.FailedPrecondition);
    };
    await using it = await start(() => [request(1)], other);
    await expect.poll(() => it.states.at(-1)).toEqual({ isConnected: true });
    expect(it.states.slice(0, 2)).toEqual(Array(2).fill({ isConnected: false, message: "not now" }));
  });
});
