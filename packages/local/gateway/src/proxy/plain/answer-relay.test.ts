import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAnswer } from "./answer.ts";
import { AnswerRelay, BrokenAnswer } from "./answer-relay.ts";

const relayFor = (method = "GET") =>
  new AnswerRelay({
    ...{ method, headerBytes: 500, interimResponses: 16, keepAliveMs: 60_000 },
    now: () => Date.parse("2026-01-02T03:04:05Z"),
  });
const ours = "Connection: keep-alive\r\nKeep-Alive: timeout=60\r\n";
const date = "Date: now\r\n";

/** What the client gets for an answer, and how things stand then. */
function relay(answer: string, { method = "GET", ends = false, cuts = [] as number[] } = {}) {
  const relay = relayFor(method);
  const bytes = Buffer.from(answer, "latin1");
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let text = "";
  for (let at = 1; at < places.length; at++) {
    text += relay.take(bytes.subarray(places[at - 1], places[at])).toString("latin1");
  }
  if (ends) text += relay.end().toString("latin1");
  return { text, done: relay.done, keeps: relay.keepsConnection };
}

describe("an answer", () => {
  test.each([
    {
      what: "of a length",
      answer: "Content-Length: 5\r\n\r\nhello",
      text: `Content-Length: 5\r\n${date}${ours}\r\nhello`,
    },
    { what: "without a body", answer: "content-length: 0\r\n\r\n", text: `content-length: 0\r\n${date}${ours}\r\n` },
    {
      what: "in chunks, with trailers",
      answer: "Transfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\nSum: 1\r\n\r\n",
      text: `${date}Transfer-Encoding: chunked\r\n${ours}\r\n2\r\nok\r\n0\r\nSum: 1\r\n\r\n`,
    },
    {
      what: "with fields for one connection",
      answer:
        "Connection: keep-alive, X-Hop\r\nKeep-Alive: 1\r\nX-Hop: 1\r\nUpgrade: h2c\r\nX-End: 2\r\nContent-Length: 0\r\n\r\n",
      text: `X-End: 2\r\nContent-Length: 0\r\n${date}${ours}\r\n`,
    },
  ])("$what is passed on as it is, however it is cut", ({ answer, text }) => {
    const sent = `HTTP/1.1 200 Fine\r\n${answer}`.replace("\r\n", `\r\n${date}`);
    const fields = text.replace(date, "").split("\r\n\r\n")[0]?.split("\r\n");
    const check = (cuts: number[]) => {
      const got = relay(sent, { cuts });
      expect(got).toMatchObject({ done: true, keeps: true });
      expect(got.text.startsWith("HTTP/1.1 200 Fine\r\nDate: now\r\n")).toBe(true);
      expect(got.text.split("\r\n\r\n")[0]?.split("\r\n").slice(2).sort()).toEqual(fields?.sort());
      expect(got.text.slice(got.text.indexOf("\r\n\r\n"))).toBe(text.slice(text.indexOf("\r\n\r\n")));
    };
    check([]);
    fc.assert(fc.property(fc.array(fc.nat(), { maxLength: 5 }), check));
  });

  test.each([
    ["HEAD", 200, "Content-Length: 5\r\n"],
    ["HEAD", 200, "Transfer-Encoding: chunked\r\n"],
    ["HEAD", 200, ""],
    ["GET", 204, ""],
    ["GET", 304, "Content-Length: 5\r\n"],
  ])("to %s with %s and %j has no body", (method, status, field) => {
    const { text, done, keeps } = relay(`HTTP/1.1 ${status} X\r\n${field}\r\n`, { method });
    expect([done, keeps]).toEqual([true, true]);
    expect(text).toMatch(/\r\n\r\n$/);
    expect(text.includes("Content-Length: 5")).toBe(field.includes("5"));
  });

  test("without a date gets one", () => {
    expect(relay("HTTP/1.1 204 No Content\r\n\r\n").text).toContain("Date: Fri, 02 Jan 2026 03:04:05 GMT\r\n");
  });

  test("that ends with its connection gets a last chunk, so that the client knows that it is whole", () => {
    const { text, keeps } = relay("HTTP/1.0 200 OK\r\nDate: now\r\n\r\nall of it", { ends: true });
    expect(text).toBe(
      `HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n${ours}\r\n9\r\nall of it\r\n0\r\n\r\n`,
    );
    expect(keeps).toBe(false);
  });

  test.each(["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"])(
    "comes after %j",
    (early) => {
      expect(relay(`${early}${early}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`).text).toMatch(
        /^HTTP\/1\.1 200 OK\r\nContent/,
      );
    },
  );

  test.each([
    ["HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: Foo, Close\r\n\r\nx", false],
    ["HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", false],
    ["HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: Keep-Alive\r\n\r\nx", true],
    ["HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy", false],
  ])("%j says whether its connection may be used again: %s", (answer, wanted) => {
    const { text, done, keeps } = relay(answer);
    expect([text.endsWith("\r\n\r\nx"), done, keeps]).toEqual([true, true, wanted]);
  });

  test("may say so with any number of spaces, and is read in one go", () => {
    const said = `a${" ".repeat(120_000)}b, close`;
    const bytes = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: ${said}\r\n\r\n`);
    // All of them together take minutes where each space is looked at again for each space before it.
    for (let i = 0; i < 15; i++) {
      expect(readAnswer(bytes, { method: "GET", headerBytes: 2 ** 20 })).toMatchObject({ keepsConnection: false });
    }
  });
});

describe("what is no answer", () => {
  test.each([
    "SSH-2.0-OpenSSH\r\n\r\n",
    "HTTP/2.0 200 OK\r\n\r\n",
    "HTTP/1.1 2000 OK\r\n\r\n",
    "HTTP/1.1 020 OK\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot a size\r\n",
    "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
    `HTTP/1.1 200 OK\r\nX: ${"x".repeat(600)}`,
    `HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ${"x".repeat(600)}\r\n\r\n`,
  ])("%j is not passed on", (answer) => {
    expect(() => relay(answer)).toThrow();
  });

  test.each(["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx"])(
    "the end after %j",
    (answer) => {
      expect(() => relay(answer, { ends: true })).toThrow();
    },
  );
});

test("as many interim responses as are allowed may come before an answer, however they are cut, and no more", () => {
  const hint = "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n";
  const answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  const check = (cuts: number[]) => {
    expect(relay(hint.repeat(16) + answer, { cuts }).done).toBe(true);
    expect(() => relay(hint.repeat(17) + answer, { cuts })).toThrow(BrokenAnswer);
  };
  check([]);
  fc.assert(fc.property(fc.array(fc.nat(), { maxLength: 5 }), check));
});
