import { silentLogger, systemClock } from "@berg/kube";
import { issueCertificate, makeCa } from "@berg/local-certificates";
import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ControlServer } from "../client-proxy/control-server.ts";
import { TunnelControl } from "../protocol/tunnel_pb.ts";
import { ControlConnection } from "../server-proxy/control-connection.ts";
import { dial } from "../server-proxy/dial.ts";
import { makeProxyCertificate, readPeer } from "./certificate.ts";

const address = "127.0.0.1";
const [from, until] = [Date.now() - 60_000, Date.now() + 3_600_000];
/** What no proxy makes: a CA that goes on signing, so that OpenSSL trusts each of them in place of the other. */
const ca = makeCa("shared", from, until);
function issued(usage: "server" | "client") {
  const { key, certificate } = issueCertificate(ca, { subject: { commonName: "a" }, usage, from, until });
  return { key, certificate: certificate + ca.certificate };
}

type Own = ReturnType<typeof issued>;

/** A call from the one to the other: whether it is answered, and if not, who refuses. */
async function meet(sides: { server: Own; client: Own; expectedServer?: Own; expectedClient?: Own }): Promise<string> {
  const { server: own, client, expectedServer = own, expectedClient = client } = sides;
  let calls = 0;
  await using control = await ControlServer.start({
    own,
    peer: readPeer(expectedClient.certificate, "test"),
    address,
    port: 0,
    isInside: () => true,
    routes: (router) =>
      router.service(TunnelControl, {
        shutdown() {
          calls++;
          return {};
        },
      }),
    clock: systemClock,
    log: silentLogger,
  });
  const peer = { address, controlPort: control.port, ...readPeer(expectedServer.certificate, "test") };
  const dialled = dial(peer, client, systemClock, new AbortController().signal);
  const socket = await dialled.catch(({ message }: Error) => message.replace(/:\d+:/, ":"));
  if (typeof socket === "string") return socket;
  using connection = new ControlConnection(socket, systemClock);
  const answer = createClient(TunnelControl, connection.transport(20_000)).shutdown({});
  const isAnswered = await answer.then(
    () => true,
    () => false,
  );
  return isAnswered && calls === 1 ? "met" : `refused by the listening side after ${calls} calls`;
}

describe("two proxies", () => {
  const another = `cannot reach the client proxy at ${address}: it has another certificate than the client proxy of this pair`;

  test("know each other by the certificates that they made", async () => {
    const server = makeProxyCertificate("client proxy", systemClock);
    const client = makeProxyCertificate("server proxy", systemClock);
    expect(await meet({ server, client })).toBe("met");
  });

  test("do not know one that made its own", async () => {
    const server = makeProxyCertificate("client proxy", systemClock);
    const client = makeProxyCertificate("server proxy", systemClock);
    const expectedServer = makeProxyCertificate("client proxy", systemClock);
    const expectedClient = makeProxyCertificate("server proxy", systemClock);
    expect(await meet({ server, client, expectedServer })).toBe(another);
    expect(await meet({ server, client, expectedClient })).toBe("refused by the listening side after 0 calls");
  });

  test("want the very certificate, and not another that is as good for OpenSSL", async () => {
    const [server, client] = [issued("server"), issued("client")];
    expect(await meet({ server, client })).toBe("met");
    expect(await meet({ server, client, expectedServer: issued("server") })).toBe(another);
    expect(await meet({ server, client, expectedClient: issued("client") })).toBe(
      "refused by the listening side after 0 calls",
    );
  });

  test("cannot be given what is no certificate", () => {
    expect(() => readPeer("PEM", "here")).toThrow("here is no certificate in PEM");
  });
});
