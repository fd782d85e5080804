/** Connections that begin with TLS, through real sockets. */
import { once } from "node:events";
import { request } from "node:https";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from "node:tls";
import { makeCa } from "@berg/kube/testing/certificates";
import { afterEach, describe, expect, test } from "vitest";
import { fromAll, gateway, httpRoute, issued, type Objects, service, tlsRoute, tlsSecret } from "../testing/objects.ts";
import {
  closeAll,
  dial,
  everythingFrom,
  exchange,
  freePort,
  httpBackend,
  listening,
  onClose,
  startProxy,
  type TestProxyOptions,
  tcpBackend,
} from "../testing/servers.ts";

afterEach(closeAll);

const ca = await makeCa();
const certificateFor = (hostname: string) => ca.issue(hostname, { dns: [hostname] });

/** HTTPS for *.web.test, TLS that ends here for *.raw.test, and passed on for *.pass.test, on one port. */
async function world(endpoints: Record<string, number[]>, options: TestProxyOptions = {}, more: Objects = {}) {
  const port = await freePort();
  const on = (name: string, protocol: string, hostname: string, mode: string) => {
    const tls = mode === "Terminate" ? issued : { mode };
    return { name, protocol, port, hostname, tls, ...fromAll };
  };
  const objects: Objects = {
    gateways: [
      gateway([
        on("https", "HTTPS", "*.web.test", "Terminate"),
        on("other", "HTTPS", "*.other.test", "Terminate"),
        on("raw", "TLS", "*.raw.test", "Terminate"),
        on("pass", "TLS", "*.pass.test", "Passthrough"),
      ]),
    ],
    httpRoutes: [httpRoute("a/web", ["a.web.test", "a.other.test"])],
    tlsRoutes: [tlsRoute("a/raw", ["a.raw.test", "a.pass.test"])],
    services: [service("a/web")],
    ...more,
  };
  const proxy = await startProxy(objects, { certificateFor, ...options, endpoints });
  return { port, proxy };
}

const ask = (port: number, servername: string, host = servername) =>
  new Promise<{ status: number | undefined; body: string; subject: string }>((resolve, reject) => {
    const asked = request({ port, host: "127.0.0.1", servername, ca: ca.ca, headers: { host }, agent: false });
    asked.on("error", reject);
    asked.on("response", (response) => {
      const subject = (response.socket as TLSSocket).getPeerCertificate().subject.CN as string;
      text(response).then((body) => resolve({ status: response.statusCode, body, subject }), reject);
    });
    asked.end();
  });

async function dialTls(port: number, servername: string): Promise<TLSSocket> {
  const socket = connectTls({ port, host: "127.0.0.1", servername, ca: ca.ca, allowHalfOpen: true } as never);
  onClose(() => socket.destroy());
  await once(socket, "secureConnect");
  socket.on("error", () => {});
  return socket;
}

const echo = (socket: Socket) => {
  socket.on("data", (piece) => socket.write(`echo ${piece}`));
  socket.on("end", () => setTimeout(() => socket.end("bye"), 20));
};

describe("HTTPS", () => {
  test("is served with a certificate for the hostname, and the pod is told", async () => {
    const backend = await httpBackend((incoming, answer) => answer.end(incoming.headers["x-forwarded-proto"]));
    const { port, proxy } = await world({ "a/web": [backend] });
    expect(await ask(port, "a.web.test")).toEqual({ status: 200, body: "https", subject: "a.web.test" });
    await expect.poll(() => proxy.connections.size).toBe(0);
  });

  test("unknown hosts get 404 under the certificate of the listener", async () => {
    const { port } = await world({});
    expect(await ask(port, "b.web.test")).toMatchObject({ status: 404, subject: "*.web.test" });
  });

  test("a host of another listener is refused on this one's connection", async () => {
    const { port } = await world({});
    expect(await ask(port, "a.web.test", "a.other.test")).toMatchObject({ status: 421 });
    expect(await ask(port, "a.web.test", "nobody.test")).toMatchObject({ status: 404 });
  });

  test("uses the certificate of a Secret, once", async () => {
    const pair = await ca.issue("from-secret", { dns: ["*.secret.test"] });
    const port = await freePort();
    const tls = { mode: "Terminate", certificateRefs: [{ name: "cert" }] };
    await startProxy({
      gateways: [gateway([{ name: "https", protocol: "HTTPS", port, hostname: "*.secret.test", tls, ...fromAll }])],
      secrets: [tlsSecret("infra/cert", pair)],
    });
    expect(await ask(port, "a.secret.test")).toMatchObject({ status: 404, subject: "from-secret" });
  });

  test("a certificate is made once for each hostname, and tried again where it could not be made", async () => {
    const asked: string[] = [];
    const { port } = await world(
      {},
      {
        certificateFor: (hostname) => {
          asked.push(hostname);
          if (asked.length === 1) throw new Error("not today");
          return certificateFor(hostname);
        },
      },
    );
    await expect(ask(port, "a.web.test")).rejects.toThrow(/internal error/);
    await ask(port, "a.web.test");
    await ask(port, "a.web.test");
    expect(asked).toEqual(["a.web.test", "a.web.test"]);
  });
});

describe("TLS that ends here", () => {
  test("goes on in the clear, and each side's end apart", async () => {
    const backend = await tcpBackend(echo);
    const { port, proxy } = await world({ "a/web": [backend] });
    const socket = await dialTls(port, "a.raw.test");
    const all = everythingFrom(socket);
    socket.end("ping");
    expect(await all).toBe("echo pingbye");
    socket.destroy();
    await expect.poll(() => proxy.connections.size).toBe(0);
  });
});

describe("TLS that is passed on", () => {
  test("ends at the pod, with the pod's own certificate", async () => {
    const pair = await ca.issue("the pod's own", { dns: ["a.pass.test"] });
    const backend = await listening(createTlsServer({ ...pair, allowHalfOpen: true } as never, echo));
    const { port, proxy } = await world({ "a/web": [backend] });
    const socket = await dialTls(port, "a.pass.test");
    expect(socket.getPeerCertificate().subject.CN).toBe("the pod's own");
    const all = everythingFrom(socket);
    socket.end("ping");
    expect(await all).toBe("echo pingbye");
    socket.destroy();
    await expect.poll(() => proxy.connections.size).toBe(0);
  });

  test("a reset of the pod is a reset of the client's connection", async () => {
    const backend = await tcpBackend((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const { port } = await world({ "a/web": [backend] });
    await expect(dialTls(port, "a.pass.test")).rejects.toThrow("ECONNRESET");
  });

  test("is closed where no pod is ready, or none accepts", async () => {
    for (const endpoints of [{}, { "a/web": [await freePort()] }]) {
      const { port } = await world(endpoints);
      await expect(dialTls(port, "a.pass.test")).rejects.toThrow(/disconnected|ECONNRESET/);
    }
  });
});

describe("what is none of ours", () => {
  test.each(["nobody.test", "x.pass.test", "x.raw.test"])("the server name %s is refused by an alert", async (name) => {
    const { port } = await world({});
    await expect(dialTls(port, name)).rejects.toThrow(/unrecognized name/);
  });

  test("an unknown server name is not held open by a client that goes on sending", async () => {
    const { port, proxy } = await world({}, { limits: { headerMs: 1_000 } });
    const hello = await firstBytesOf("nobody.test");
    const socket = await dial(port);
    const all = everythingFrom(socket);
    socket.write(hello);
    const drip = setInterval(() => socket.write("x"), 20);
    onClose(() => clearInterval(drip));
    expect(await all).toBe("\x15\x03\x03\x00\x02\x02\x70");
    await expect.poll(() => proxy.connections.size).toBe(0);
  });

  test("plain HTTP, garbage and silence are closed", async () => {
    const { port, proxy } = await world({}, { limits: { headerMs: 200 } });
    expect(await exchange(port, "GET / HTTP/1.1\r\n\r\n")).toBe("");
    expect(await exchange(port, "\x16\x03\x01\xff\xff")).toBe("");
    const silent = await dial(port);
    const slow = await dial(port);
    slow.write("\x16\x03\x01\x01\x00");
    const drip = setInterval(() => slow.write("\x01"), 50);
    await Promise.all([everythingFrom(silent), everythingFrom(slow)]);
    clearInterval(drip);
    await expect.poll(() => proxy.connections.size).toBe(0);
  });

  test("a client that begins TLS and goes no further is cut off, and no pod is called", async () => {
    let called = false;
    const backend = await tcpBackend(() => {
      called = true;
    });
    const { port, proxy } = await world({ "a/web": [backend] }, { limits: { headerMs: 300 } });
    const hello = await firstBytesOf("a.raw.test");
    const socket = await dial(port);
    socket.write(hello);
    await everythingFrom(socket);
    await expect.poll(() => proxy.connections.size).toBe(0);
    expect(called).toBe(false);
  });
});

/** What a TLS client sends first. */
async function firstBytesOf(servername: string): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const port = await tcpBackend((socket) => socket.once("data", resolve));
  const client = connectTls({ port, host: "127.0.0.1", servername }).on("error", () => {});
  const bytes = await promise;
  client.destroy();
  return bytes;
}
