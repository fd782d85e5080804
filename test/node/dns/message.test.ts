import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Addresses, answer, readQuestion } from "./message.ts";

/** What the system's own resolver makes of our answers. */
async function resolverFor(known: (name: string) => Addresses) {
  const socket = createSocket("udp4");
  socket.on("message", (message, from) => {
    const question = readQuestion(message);
    if (question) socket.send(answer(question, known(question.name)), from.port, from.address);
  });
  await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound));
  const resolver = new Resolver({ timeout: 60_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return { resolver, [Symbol.dispose]: () => void socket.close() };
}

test("a resolver gets the addresses of a name, in whatever case it asks", async () => {
  using dns = await resolverFor((name) => (name === "web.one.svc.cluster.local" ? ["10.96.0.7", "10.0.0.1"] : []));
  expect(await dns.resolver.resolve4("Web.one.SVC.cluster.local")).toEqual(["10.96.0.7", "10.0.0.1"]);
});

test("an unknown name does not exist, and a known one may have no address of a kind", async () => {
  using dns = await resolverFor((name) => (name === "known" ? ["10.0.0.1"] : undefined));
  await expect(dns.resolver.resolve4("unknown")).rejects.toThrow("ENOTFOUND");
  await expect(dns.resolver.resolve6("known")).rejects.toThrow("ENODATA");
});

test("no datagram makes it throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const message = Buffer.from(bytes);
      // Mostly one question, so that the name is read.
      if (message.length > 5) message.writeUInt16BE(1, 4);
      const question = readQuestion(message);
      if (question) answer(question, ["10.0.0.1"]);
    }),
  );
});
