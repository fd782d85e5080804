import fc from "fast-check";
import { expect, test } from "vitest";
import { type DnsRecord, readQuestion, recordTypes, writeReply } from "./message.ts";
import { query } from "./testing/query.ts";

test("a question is read in whatever case it comes, and repeated as it came", () => {
  const message = query("Web.Alice.SVC.cluster.local", recordTypes.A);
  const question = readQuestion(message);
  expect(question).toMatchObject({ labels: ["web", "alice", "svc", "cluster", "local"], type: 1, maxSize: 512 });
  if (!question) throw new Error("unread");
  expect(writeReply(question, { code: 0, answers: [] }).toString("latin1")).toContain("Web\u0005Alice");
});

test.each([
  ["an answer", (message: Buffer) => message.writeUInt8(0x80, 2)],
  ["another operation", (message: Buffer) => message.writeUInt8(0x28, 2)],
  ["two questions", (message: Buffer) => message.writeUInt16BE(2, 4)],
  ["another class", (message: Buffer) => message.writeUInt16BE(3, message.length - 2)],
  ["a pointer for a name", (message: Buffer) => message.writeUInt8(0xc0, 12)],
])("%s is no question", (_, spoil) => {
  const message = query("a.b", recordTypes.A);
  spoil(message);
  expect(readQuestion(message)).toBeUndefined();
});

test("how long an answer may be is taken from the asker, within reason", () => {
  const sizes = [100, 512, 1000, 65_000].map((size) => readQuestion(query("a", recordTypes.A, size))?.maxSize);
  expect(sizes).toEqual([512, 512, 1000, 1232]);
});

test("an answer that is too long for UDP says so and holds no part of itself", () => {
  const answers: DnsRecord[] = Array.from({ length: 100 }, (_, i) => ({
    name: "a",
    type: "A",
    address: `10.0.0.${i}`,
  }));
  const question = readQuestion(query("a", recordTypes.A));
  if (!question) throw new Error("unread");
  const short = writeReply(question, { code: 0, answers, zone: "cluster.local" });
  expect([short.readUInt16BE(2) & 0x0200, short.readUInt16BE(6)]).toEqual([0x0200, 0]);
  expect(short.length).toBeLessThanOrEqual(512);
  const long = writeReply(question, { code: 0, answers, zone: "cluster.local" }, 65_535);
  expect([long.readUInt16BE(2) & 0x0200, long.readUInt16BE(6)]).toEqual([0, 100]);
});

test("no message makes it throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (bytes, isMarked) => {
      const message = Buffer.from(bytes);
      // Mostly one question, so that the name is read.
      if (isMarked && message.length > 11) {
        message.writeUInt16BE(0x0100, 2);
        message.writeUInt16BE(1, 4);
      }
      const question = readQuestion(message);
      if (question) writeReply(question, { code: 0, answers: [{ name: "a", type: "A", address: "10.0.0.1" }] });
    }),
  );
});
