import { createServer } from "node:net";
import { expect, test } from "vitest";
import { addressesOf, listen } from "./listen.ts";
import { startServer } from "./testing/ends.ts";

test.each([
  ["192.0.2.1", 0, "cannot listen on 192.0.2.1, port 0: the address is not one of this machine"],
  ["db.local", 80, 'cannot listen on db.local, port 80: "db.local" is no IP address'],
  ["127.0.0.1", 70_000, "cannot listen on 127.0.0.1, port 70000: a port is a whole number from 0 (any) to 65535"],
  ["", -1, "cannot listen on every address, port -1: a port is a whole number from 0 (any) to 65535"],
])("%j, port %d cannot be listened on, and it says why", async (address, port, text) => {
  await expect(listen(createServer(), address, port)).rejects.toThrow(new Error(text));
});

test("a port in use is said to be", async () => {
  await using taken = await startServer(() => {});
  const where = `127.0.0.1, port ${taken.port}`;
  const text = `cannot listen on ${where}: the port is in use`;
  await expect(listen(createServer(), "127.0.0.1", taken.port)).rejects.toThrow(new Error(text));
});

test("all addresses are found, but for the one that is not meant for others", async () => {
  const server = createServer();
  const port = await listen(server, "0.0.0.0", 0);
  expect(port).toBeGreaterThan(0);
  const addresses = addressesOf(server, "192.0.2.1");
  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses).not.toContain("0.0.0.0");
  const [first = ""] = addresses;
  expect(addressesOf(server, first)).not.toContain(first);
  server.close();
});

test("of one address, that one is told", async () => {
  const server = createServer();
  await listen(server, "127.0.0.1", 0);
  expect(addressesOf(server, "127.0.0.1")).toEqual(["127.0.0.1"]);
  server.close();
});
