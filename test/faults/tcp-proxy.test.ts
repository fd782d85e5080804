import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TcpProxy } from "./tcp-proxy.ts";

/** Sends back what it gets. */
const echo = createServer((socket) => socket.on("error", () => {}).pipe(socket));
let proxy: TcpProxy;
beforeAll(async () => {
  await once(echo.listen(0, "127.0.0.1"), "listening");
  proxy = await TcpProxy.start({ port: (echo.address() as AddressInfo).port });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  echo.close();
});

function open(): Socket {
  return connect(proxy.port, "127.0.0.1").on("error", () => {});
}

/** Also after an error, which `once` rejects with. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.on("close", () => resolve()));
}

async function echoed(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  return String((await once(socket, "data"))[0]);
}

test("passes bytes, slowly where it is told to", async () => {
  const socket = open();
  expect(await echoed(socket, "a")).toBe("a");
  proxy.setFault({ kind: "slow", delayMs: 30 });
  const started = performance.now();
  expect(await echoed(socket, "b")).toBe("b");
  expect(performance.now() - started).toBeGreaterThanOrEqual(59);
  proxy.setFault(undefined);
  socket.destroy();
});

test("cuts and refuses connections", async () => {
  const socket = open();
  await echoed(socket, "a");
  proxy.setFault({ kind: "refused" });
  await closed(socket);
  await closed(open());
  proxy.setFault(undefined);
  expect(await echoed(open(), "b")).toBe("b");
});

test("is silent, and cuts afterwards what has missed bytes", async () => {
  const socket = open();
  await echoed(socket, "a");
  proxy.setFault({ kind: "silent" });
  const cut = closed(socket);
  socket.write("lost");
  proxy.setFault(undefined);
  await cut;
});

test("refuses connections that begin with a text, and no others", async () => {
  const [listener, other] = [open(), open()];
  await echoed(listener, "name=listen");
  await echoed(other, "name=query");
  proxy.refuseContaining("listen");
  await closed(listener);
  expect(await echoed(other, "more")).toBe("more");
  proxy.refuseContaining(undefined);
  other.destroy();
});
