/** Servers that would fill our memory. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, Namespaces, systemClock } from "@berg/kube";
import { expect, test } from "vitest";
import { connectTo } from "./connect.ts";

/** Waits between tries pass at once; the limit of a discovery does not. */
const hasty: Clock = { ...systemClock, setTimer: (ms, fire) => systemClock.setTimer(ms < 10_000 ? 0 : ms, fire) };

async function connected(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const access = { server: `http://127.0.0.1:${port}`, ca: "", credentials: { token: "t" }, expiresAt: undefined };
  const client = connectTo(access, hasty);
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

test("a list without end is cut short", async () => {
  let asked = 0;
  await using target = await connected((_, response) => {
    asked++;
    response.end(JSON.stringify({ metadata: { continue: "again" }, items: [{ metadata: { name: "a" } }] }));
  });
  await expect(target.client.listAll(Namespaces)).rejects.toThrow("more than 10 pages");
  expect(asked).toBe(10);
});

test("an answer of more than 2 MiB is not taken", async () => {
  let length = 1024 * 1024;
  await using target = await connected((_, response) => {
    response.end(JSON.stringify({ metadata: {}, items: [], rubbish: "x".repeat(length) }));
  });
  expect((await target.client.listAll(Namespaces)).items).toEqual([]);
  length = 2 * 1024 * 1024;
  await expect(target.client.listAll(Namespaces)).rejects.toMatchObject({ name: "ConnectionError" });
});

test("a server that serves without end is not believed", async () => {
  const versions = Array.from({ length: 201 }, (_, n) => ({ version: `v${n}` }));
  await using target = await connected((_, response) => {
    response.end(JSON.stringify({ kind: "APIGroupList", groups: [{ name: "a", versions }], versions: [] }));
  });
  await expect(target.client.discovery.all()).rejects.toThrow("more than 200 versions of groups");
});
