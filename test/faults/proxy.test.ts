/** What the proxy does at one write: the rest of its faults is shown by the suites that use them, on a real server. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectionWith } from "../control-plane/credentials.ts";
import { FaultProxy } from "./proxy.ts";

const applied: string[] = [];
let server: Server;
let proxy: FaultProxy;

beforeEach(async () => {
  applied.length = 0;
  server = createServer((request, response) => {
    applied.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(request.method === "POST" ? 201 : 200).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  proxy = await FaultProxy.start(connectionWith({ server: `http://127.0.0.1:${port}`, token: "secret" }));
});
afterEach(async () => {
  await proxy.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const services = "/api/v1/namespaces/web/services";
const ask = (method: string, path: string, body?: object) =>
  fetch(`${proxy.connection.server}${path}`, { method, ...(body && { body: JSON.stringify(body) }) }).then(
    ({ status }) => status,
    () => "broken",
  );

test("keeps what was asked and what was answered, and adds the credentials that a client would not send", async () => {
  expect(await ask("POST", services, {})).toBe(201);
  expect(await ask("DELETE", `${services}/a`, { preconditions: { uid: "u-1" } })).toBe(200);
  expect(proxy.requests).toMatchObject([
    { verb: "create", resource: "services", namespace: "web", code: 201 },
    { verb: "delete", name: "a", uid: "u-1", code: 200 },
  ]);
  expect(applied[0]).toBe(`POST ${services} Bearer secret`);
});

test("holds the write that is awaited, before the server has it, and no other one", async () => {
  const held = Promise.withResolvers<undefined>();
  const reached = new Promise<void>((resolve) => {
    proxy.at({ resource: "services", nth: 2, when: "before" }, () => {
      resolve();
      return held.promise;
    });
  });
  expect([await ask("GET", services), await ask("POST", services, {})]).toEqual([200, 201]);
  const second = ask("POST", services, {});
  await reached;
  expect(await ask("POST", services, {})).toBe(201);
  expect(applied.length).toBe(3);
  held.resolve(undefined);
  expect(await second).toBe(201);
  expect(applied.length).toBe(4);
});

test("answers in the server's place, once", async () => {
  proxy.at({ resource: "services", verb: "create", when: "before" }, () => ({ status: 409 }));
  expect([await ask("POST", services, {}), await ask("POST", services, {})]).toEqual([409, 201]);
  expect(applied.length).toBe(1);
});

test("loses the answer to what the server has done", async () => {
  proxy.at({ resource: "services", when: "after" }, () => "reset");
  expect(await ask("POST", services, {})).toBe("broken");
  expect(applied.length).toBe(1);
  expect(proxy.requests).toMatchObject([{ code: 201 }]);
});

test("does nothing at a point that was taken back", async () => {
  proxy.at({ resource: "services", when: "before" }, () => "reset")();
  expect(await ask("POST", services, {})).toBe(201);
});

test("lets nothing through once it is severed, not even what it holds", async () => {
  const held = Promise.withResolvers<undefined>();
  proxy.at({ resource: "services", when: "before" }, () => {
    proxy.sever();
    return held.promise;
  });
  expect(await ask("POST", services, {})).toBe("broken");
  held.resolve(undefined);
  expect(await ask("POST", services, {})).toBe("broken");
  expect(applied).toEqual([]);
  expect(proxy.requests.length).toBe(1);
});
