import { createSocket } from "node:dgram";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@berg/kube";
import { expect, test } from "vitest";
import { recordTypes } from "./message.ts";
import { query } from "./testing/query.ts";
import { hostNameServers, hostUpstream } from "./upstream.ts";

test("the host's name servers are those of resolv.conf", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-dns-"));
  const file = join(directory, "resolv.conf");
  await writeFile(
    file,
    "# nameserver 1.1.1.1\nsearch x\n nameserver 192.0.2.1\nnameserver fe80::1%eth0\nnameserver nonsense\n",
  );
  expect(await hostNameServers(file)).toEqual([
    { address: "192.0.2.1", port: 53 },
    { address: "fe80::1%eth0", port: 53 },
  ]);
  await rm(directory, { recursive: true });
  expect(await hostNameServers(file)).toEqual([]);
});

test("a machine without a name server says so", async () => {
  const upstream = hostUpstream({ clock: systemClock, servers: async () => [] });
  await expect(upstream.relay(query("a", recordTypes.A), "udp")).rejects.toThrow("this machine has no name server");
  await expect(upstream.addresses("a")).rejects.toThrow("this machine has no name server");
});

test("an answer to another question is not taken, and the next server is asked where one refuses", async () => {
  const socket = createSocket("udp4");
  const numbers: number[] = [];
  socket.on("message", (message, { port, address }) => {
    numbers.push(message.readUInt16BE(0));
    const answer = Buffer.from(message);
    answer[2] = 0x81;
    const forged = Buffer.from(answer);
    forged.writeUInt16BE((answer.readUInt16BE(0) + 1) % 0x10000, 0);
    forged[forged.length - 1] = 99;
    socket.send(forged, port, address, () => socket.send(answer, port, address));
  });
  await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound));
  const { port } = socket.address();
  // Nobody listens at the first.
  const servers = [
    { address: "127.0.0.1", port: 1 },
    { address: "127.0.0.1", port },
  ];
  const upstream = hostUpstream({ clock: systemClock, servers: async () => servers });
  const question = query("a.b", recordTypes.A);
  const answer = await upstream.relay(question, "udp");
  expect(answer.readUInt16BE(0)).toBe(0x1234);
  expect(answer.at(-1)).toBe(1);
  await upstream.relay(question, "udp");
  await upstream.relay(question, "udp");
  expect(new Set([...numbers, 0x1234]).size, "numbers that can be guessed").toBeGreaterThan(2);
  socket.close();
});

test("a server that there is no way to is one that does not answer", async () => {
  // The kernel lets nobody connect to all.
  const servers = async () => [{ address: "255.255.255.255", port: 53 }];
  const upstream = hostUpstream({ clock: systemClock, servers });
  await expect(upstream.relay(query("a", recordTypes.A), "udp")).rejects.toThrow("EACCES");
});
