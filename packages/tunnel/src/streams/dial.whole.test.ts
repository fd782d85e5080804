import { describe, expect, test } from "vitest";
import { dial, failureText } from "./dial.ts";
import { startDeafServer } from "./testing/deaf-server.ts";
import { connectEnd, startEcho } from "./testing/ends.ts";
import { host, startPair } from "./testing/pair.ts";

test.each([
  ["ECONNREFUSED", "connection refused by db.local:5432"],
  ["ECONNRESET", "connection reset by db.local:5432"],
  ["ETIMEDOUT", "no answer from db.local:5432 within 10 s"],
  ["ENOTFOUND", "the name db.local is not known"],
  ["EAI_AGAIN", "the name db.local cannot be looked up at the moment"],
  ["EHOSTUNREACH", "no route to db.local:5432"],
  ["ENETUNREACH", "no route to db.local:5432"],
  ["EMFILE", "cannot connect to db.local:5432: too many files are open"],
  ["ENFILE", "cannot connect to db.local:5432: too many files are open"],
  ["EPERM", "cannot connect to db.local:5432: EPERM"],
  [undefined, "cannot connect to db.local:5432: no reason is given"],
])("%s is told in words", (code, text) => {
  expect(failureText(code, { host: "db.local", port: 5432 })).toBe(text);
});

test("an IPv6 address can be told from its port", () => {
  expect(failureText("ECONNREFUSED", { host: "::1", port: 80 })).toBe("connection refused by [::1]:80");
});

const outcome = (host: string, port: number) =>
  new Promise<string>((resolve) => {
    const socket = dial(
      { host, port },
      () => {
        socket.destroy();
        resolve("connected");
      },
      resolve,
    );
  });

test("a name is looked up, and each of its addresses tried", async () => {
  await using echo = await startEcho();
  expect(await outcome("localhost", echo.port)).toBe("connected");
  expect(await outcome("localhost", 1)).toBe("connection refused by localhost:1");
});

describe("a server that does not answer", () => {
  test("is given up after a while", async () => {
    await using deaf = await startDeafServer();
    expect(await outcome(host, deaf.port)).toBe(`no answer from ${host}:${deaf.port} within 10 s`);
  });

  test("delays no other stream, and is given up when its client goes", async () => {
    await using deaf = await startDeafServer();
    await using echo = await startEcho();
    await using pair = await startPair();
    const stuck = connectEnd(await pair.tunnel(deaf.port));
    await expect.poll(() => pair.server.openStreams(1)).toBe(1);
    const end = connectEnd(await pair.tunnel(echo.port, { id: 2 }));
    end.socket.end("x");
    await expect.poll(() => end.text).toBe("x");
    stuck.socket.resetAndDestroy();
    await expect.poll(() => pair.server.openStreams(1)).toBe(0);
    expect(pair.failures).toEqual([]);
  });
});
