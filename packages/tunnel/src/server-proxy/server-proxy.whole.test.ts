import { silentLogger, systemClock } from "@berg/kube";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ControlServer } from "../client-proxy/control-server.ts";
import { makeProxyCertificate, readPeer } from "../pair/certificate.ts";
import {
  ClientProxy,
  ConnectRequestSchema,
  type FromClientProxy,
  FromClientProxySchema,
  PrepareTunnelRequestSchema,
  TunnelControl,
} from "../protocol/tunnel_pb.ts";
import { ServerProxy } from "./server-proxy.ts";

const address = "127.0.0.1";
const request = create(PrepareTunnelRequestSchema, { tunnelId: 1, name: "a", serverPort: 1 });

/** Stands for a client proxy whose answers a test chooses: a real one would have to be made to fail in its middle. */
async function start(prepareTunnel: () => { clientProxyPort: number }) {
  const own = makeProxyCertificate("client proxy", systemClock);
  const deleted: number[] = [];
  const over = Promise.withResolvers<void>();
  const proxy = new ServerProxy({
    unwatchedMs: 600_000,
    clock: systemClock,
    random: () => 0.5,
    log: silentLogger,
    onOver: () => {},
  });
  async function* session(): AsyncGenerator<FromClientProxy> {
    yield create(FromClientProxySchema, { what: { case: "sessionReady", value: { dataPort: 1 } } });
    await over.promise;
  }
  const control = await ControlServer.start({
    own,
    peer: readPeer(proxy.certificate, "test"),
    address,
    port: 0,
    isInside: () => true,
    routes: (router) =>
      router.service(ClientProxy, { session }).service(TunnelControl, {
        prepareTunnel,
        listTunnels: () => ({}),
        deleteTunnel({ tunnelId }) {
          deleted.push(tunnelId);
          return {};
        },
        shutdown: () => ({}),
      }),
    clock: systemClock,
    log: silentLogger,
  });
  const place = { address, controlPort: control.port, certificate: own.certificate };
  await proxy.connect(create(ConnectRequestSchema, place), new AbortController().signal);
  return {
    proxy,
    deleted,
    place,
    async [Symbol.asyncDispose]() {
      over.resolve();
      await proxy[Symbol.asyncDispose]();
      await control[Symbol.asyncDispose]();
    },
  };
}

describe("a server proxy", { timeout: 60_000 }, () => {
  test("takes back what the client proxy may have done where it did not say, and may ask again", async () => {
    let isBroken = true;
    await using it = await start(() => {
      if (isBroken) throw new ConnectError("its answer was lost", Code.Internal);
      return { clientProxyPort: 4000 };
    });
    await expect(it.proxy.tunnels.prepare(request)).rejects.toMatchObject({
      code: Code.Unavailable,
      rawMessage: "the client proxy did not answer: its answer was lost",
    });
    expect(it.deleted).toEqual([1]);
    isBroken = false;
    expect(await it.proxy.tunnels.prepare(request)).toMatchObject({ clientProxyPort: 4000 });
  });

  test("passes a refusal on in the client proxy's words, and takes nothing back", async () => {
    await using it = await start(() => {
      throw new ConnectError("the port is in use", Code.FailedPrecondition);
    });
    const want = { code: Code.FailedPrecondition, rawMessage: "the port is in use" };
    await expect(it.proxy.tunnels.prepare(request)).rejects.toMatchObject(want);
    expect(it.deleted).toEqual([]);
  });

  test.each([
    { other: { address: "localhost" }, code: Code.InvalidArgument, want: 'address "localhost" is no IP address' },
    { other: { controlPort: 0 }, code: Code.InvalidArgument, want: "control_port 0 is no port (1–65535)" },
    { other: { certificate: "x" }, code: Code.InvalidArgument, want: "certificate is no certificate in PEM" },
    {
      other: { address: "127.0.0.2" },
      code: Code.FailedPrecondition,
      want: "and stays so: start another server proxy",
    },
    {
      other: { certificate: makeProxyCertificate("client proxy", systemClock).certificate },
      code: Code.FailedPrecondition,
      want: "and stays so",
    },
  ])("has one client proxy for life: refuses $want", async ({ other, code, want }) => {
    await using it = await start(() => ({ clientProxyPort: 1 }));
    const signal = new AbortController().signal;
    await expect(
      it.proxy.connect(create(ConnectRequestSchema, { ...it.place, ...other }), signal),
    ).rejects.toMatchObject({
      code,
      rawMessage: expect.stringContaining(want),
    });
    await it.proxy.connect(create(ConnectRequestSchema, it.place), signal);
  });

  test("says that it has no client proxy yet", async () => {
    const options = {
      unwatchedMs: 600_000,
      clock: systemClock,
      random: () => 0.5,
      log: silentLogger,
      onOver: () => {},
    };
    await using proxy = new ServerProxy(options);
    await expect(proxy.tunnels.prepare(request)).rejects.toMatchObject({
      code: Code.Unavailable,
      rawMessage: "the client proxy is not connected: it has not been named yet (Connect)",
    });
  });
});
