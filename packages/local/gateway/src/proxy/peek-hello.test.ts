import { Socket } from "node:net";
import { FakeClock } from "@berg/kube/testing";
import { afterEach, expect, test, vi } from "vitest";
import { peekHello } from "./peek-hello.ts";

afterEach(() => vi.restoreAllMocks());

/** A ClientHello of this length without a name, in records as long as they may be. */
function longHello(length: number): Buffer {
  const message = Buffer.alloc(4 + length);
  message[0] = 1;
  message.writeUIntBE(length, 1, 3);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += 2 ** 14) {
    const part = message.subarray(at, at + 2 ** 14);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

test("a hello that comes byte by byte is put together now and then, not for each byte, and is left to be read", async () => {
  const bytes = longHello(60_000);
  const socket = new Socket();
  const peeked = peekHello(socket, { clock: new FakeClock(), ms: 10_000 });
  const concat = vi.spyOn(Buffer, "concat");
  for (let at = 0; at < bytes.length; at++) socket.emit("data", bytes.subarray(at, at + 1));
  const copied = concat.mock.results.reduce((sum, { value }) => sum + value.length, 0);
  expect(await peeked).toEqual({ state: "complete", serverName: undefined });
  expect(copied).toBeLessThan(500 * bytes.length);
  expect(socket.read()).toEqual(bytes);
});
