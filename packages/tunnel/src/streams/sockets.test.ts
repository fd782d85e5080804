import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { reset } from "./sockets.ts";
import { connectEnd, End, startServer } from "./testing/ends.ts";
import { host } from "./testing/pair.ts";

async function connected() {
  const server = await startServer(() => {});
  const end = connectEnd(server.port);
  await once(end.socket, "connect");
  await expect.poll(() => server.connections.length).toBe(1);
  const [other] = server.connections;
  if (!other) throw new Error("nobody came");
  return { socket: end.socket, other: new End(other), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

// In the second case Node would refuse to reset, and leave the connection open for ever.
test.each([
  ["one that is open", 0, false],
  ["one whose end is on its way to the kernel", 1, true],
  ["one that has bytes to send before its end", 50_000_000, true],
])("%s is reset, and closes", async (_, bytes, isEnded) => {
  await using connection = await connected();
  const { socket, other } = connection;
  const closed = once(socket, "close");
  if (isEnded) socket.end(Buffer.alloc(bytes));
  reset(socket);
  await closed;
  await expect.poll(() => other.socket.destroyed || other.state === "end").toBe(true);
  if (!isEnded) expect(other.state).toBe("reset");
});

test("one that is not connected yet is given up", async () => {
  await using server = await startServer(() => {});
  const socket = connect({ host, port: server.port });
  const closed = once(socket, "close");
  reset(socket);
  await closed;
});

test("one that is closed stays closed", async () => {
  await using connection = await connected();
  const { socket } = connection;
  socket.destroy();
  await once(socket, "close");
  reset(socket);
  expect(socket.destroyed).toBe(true);
});
