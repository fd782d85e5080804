import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPlainRequest } from "./request.ts";

const limits = { headerBytes: 1_000, headers: 10 };
const read = (text: string) => readPlainRequest(Buffer.from(text, "latin1"), limits);
const withFields = (...fields: string[]) =>
  read(`GET / HTTP/1.1\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`);

describe("a plain request", () => {
  test("is read with everything that it says", () => {
    expect(
      read(
        "POST /a%2Fb?c=d HTTP/1.1\r\nHost: a.test:80\r\nX-Mixed:  a b \t\r\nEmpty:\r\ncontent-length:5\r\n\r\nhello",
      ),
    ).toEqual({
      method: "POST",
      url: "/a%2Fb?c=d",
      rawHeaders: ["Host", "a.test:80", "X-Mixed", "a b", "Empty", "", "content-length", "5"],
      bodyAt: 88,
      bodyLength: 5,
    });
  });

  test("has values without spaces and tabs around them, and with everything else", () => {
    expect(withFields("Host: a", "X:\t \xa0 a\t\xa0 \t", "Y: \t ")?.rawHeaders).toEqual([
      "Host",
      "a",
      "X",
      "\xa0 a\t\xa0",
      "Y",
      "",
    ]);
  });

  test.each([
    "Connection: keep-alive",
    "connection: Keep-Alive",
    "Upgrade-Insecure-Requests: 1",
    "X: \x80\xff",
    "X: a\tb",
    "!#$%&'*+-.^_`|~09azAZ: all that a name may hold",
    "Content-Length: 0",
  ])("may say %j", (field) => {
    expect(withFields("Host: a", field)).toBeDefined();
  });
});

describe("no plain request", () => {
  test.each([
    "Transfer-Encoding: chunked",
    "transfer-encoding: identity",
    "Transfer-Encoding : chunked",
    "Transfer-Encoding\t: chunked",
    " folded",
    "X: a\r\n folded",
    "X: a\nTransfer-Encoding: chunked",
    "X: a\rb",
    "X: a\0b",
    "X: \x7f",
    "X\xa0: a",
    "no colon",
    ": no name",
    "Host: b",
    "host:",
    "Content-Length: 1\r\nContent-Length: 1",
    "Content-Length: 1\r\ncontent-length: 2",
    "Content-Length: +1",
    "Content-Length: -1",
    "Content-Length: 0x1",
    "Content-Length: 1, 1",
    "Content-Length: 1 1",
    "Content-Length:",
    "Content-Length: 9999999999999999",
    "Connection: close",
    "Connection: upgrade",
    "Connection: keep-alive, x-secret",
    "Upgrade: websocket",
    "Expect: 100-continue",
    "TE: trailers",
    "Trailer: x",
    "Keep-Alive: 1",
    "Proxy-Connection: keep-alive",
    "Proxy-Authorization: x",
  ])("says %j", (field) => {
    expect(withFields("Host: a", field)).toBeUndefined();
  });

  test.each([
    "get / HTTP/1.1",
    "GET  / HTTP/1.1",
    "GET / HTTP/1.1 ",
    " GET / HTTP/1.1",
    "\r\nGET / HTTP/1.1",
    "GET /a b HTTP/1.1",
    "GET /\xff HTTP/1.1",
    "GET /\t HTTP/1.1",
    "GET / HTTP/1.0",
    "GET / HTTP/2.0",
    "GET / http/1.1",
    "GET /",
    "GET http://a/ HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "CONNECT a:1 HTTP/1.1",
    "TRACE / HTTP/1.1",
    "PRI * HTTP/2.0",
    "",
  ])("begins with %j", (line) => {
    expect(read(`${line}\r\nHost: a\r\n\r\n`)).toBeUndefined();
  });

  test("has no host, is too large, has too many fields, or is not all there", () => {
    expect(withFields("Accept: a")).toBeUndefined();
    expect(withFields("Host: a", `X: ${"x".repeat(960)}`)).toBeDefined();
    expect(withFields("Host: a", `X: ${"x".repeat(980)}`)).toBeUndefined();
    expect(withFields("Host: a", ...Array.from({ length: 9 }, () => "X: x"))).toBeDefined();
    expect(withFields("Host: a", ...Array.from({ length: 10 }, () => "X: x"))).toBeUndefined();
    expect(read("GET / HTTP/1.1\r\nHost: a\r\n")).toBeUndefined();
    expect(read("GET / HTTP/1.1\nHost: a\n\n")).toBeUndefined();
  });

  test.each([" ", "\t"])("is rubbish full of %j, found out in one go", (filling) => {
    const rubbish = `GET / HTTP/1.1\r\nHost: a\r\na:${filling.repeat(120_000)}\x01\r\n\r\n`;
    const bytes = Buffer.from(rubbish, "latin1");
    // All of them together take minutes where each byte is looked at again for each byte before it.
    for (let i = 0; i < 15; i++) expect(readPlainRequest(bytes, { headerBytes: 2 ** 20, headers: 10 })).toBeUndefined();
  });
});

test("whatever is read says the same when it is written again", () => {
  const piece = fc.constantFrom(
    "GET ",
    "/",
    " HTTP/1.1",
    "\r\n",
    "\n",
    "\r",
    "Host: a",
    "X",
    ":",
    " ",
    "\t",
    "é",
    "\0",
    "Content-Length: 3",
  );
  const noise = fc
    .array(fc.oneof(piece, fc.string({ unit: "binary-ascii" })), { maxLength: 8 })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(noise, (text) => {
      const sent = `GET / HTTP/1.1\r\nHost: a\r\n${text}\r\n\r\n`;
      const request = read(sent);
      if (!request) return;
      const { method, url, rawHeaders, bodyAt } = request;
      const fields = rawHeaders.map((each, at) => (at % 2 === 0 ? `${each}:` : `${each}\r\n`)).join("");
      const plain = (head: string) =>
        head
          .replace(/[ \t]+\r\n/g, "\r\n")
          .replace(/:[ \t]+/g, ":")
          .replace(/[ \t]+$/gm, "");
      expect(plain(`${method} ${url} HTTP/1.1\r\n${fields}\r\n`)).toBe(plain(sent.slice(0, bodyAt)));
    }),
    { numRuns: 2_000 },
  );
});
