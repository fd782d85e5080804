import { Duplex } from "node:stream";
import { type ConnectionOptions, connect } from "node:tls";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readClientHello } from "./client-hello.ts";

/** What Node's own TLS sends first. */
function helloOf(options: ConnectionOptions): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read() {},
      write(piece, _, done) {
        resolve(piece);
        done();
      },
    });
    connect({ socket, ...options }).on("error", () => {});
  });
}

const named = await helloOf({ servername: "Web.Test" });
const complete = (serverName: string | undefined) => ({ state: "complete", serverName });

/** The same handshake in records of these lengths. */
function inRecords(hello: Buffer, lengths: readonly number[]): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0, turn = 0; at < message.length; turn++) {
    const part = message.subarray(at, at + (lengths[turn] ?? message.length));
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
    at += part.length;
  }
  return Buffer.concat(records);
}

describe("a ClientHello", () => {
  test("names its server", () => {
    expect(readClientHello(named)).toEqual(complete("web.test"));
  });

  test("may come in 16 records", () => {
    expect(readClientHello(inRecords(named, Array(15).fill(1)))).toEqual(complete("web.test"));
  });

  test.each([
    ["TLS 1.2", { servername: "a.test", maxVersion: "TLSv1.2" as const }, "a.test"],
    ["with protocols", { servername: "a.test", ALPNProtocols: ["h2", "http/1.1"] }, "a.test"],
    ["without a name", {}, undefined],
    ["with an address, which is no name", { host: "127.0.0.1" }, undefined],
  ])("of %s is read", async (_, options, name) => {
    expect(readClientHello(await helloOf(options))).toEqual(complete(name));
  });

  test("is incomplete until its last byte, wherever it is cut", () => {
    for (let length = 0; length < named.length; length++) {
      const needs = length < 5 ? 5 : named.length;
      expect(readClientHello(named.subarray(0, length))).toEqual({ state: "incomplete", needs });
    }
    expect(readClientHello(Buffer.concat([named, Buffer.from([20, 3, 3, 0, 1, 1])]))).toEqual(complete("web.test"));
  });

  test("may come in several records, and says how much of them it takes to go on", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 15 }), (lengths) => {
        const bytes = inRecords(named, lengths);
        let looks = 0;
        let hello = readClientHello(bytes.subarray(0, 1));
        for (; hello.state === "incomplete"; looks++) {
          expect(readClientHello(bytes.subarray(0, hello.needs - 1))).toEqual(hello);
          hello = readClientHello(bytes.subarray(0, hello.needs));
        }
        expect(hello).toEqual(complete("web.test"));
        expect(looks).toBeLessThanOrEqual(32);
      }),
    );
  });
});

describe("what is none", () => {
  test.each([
    ["HTTP", Buffer.from("GET / HTTP/1.1\r\n")],
    ["SSH", Buffer.from("SSH-2.0-x")],
    ["an alert", Buffer.from([21, 3, 1, 0, 2, 2, 40])],
    ["another handshake message", Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
    ["a record of nothing", Buffer.from([22, 3, 1, 0, 0])],
    ["a record that is too long", Buffer.from([22, 3, 1, 0xff, 0xff])],
    ["a hello that is too long", Buffer.from([22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff])],
    ["a hello in too many records", inRecords(named, Array(16).fill(1))],
    ["another version", Buffer.from([22, 9])],
    ["a hello of nothing", Buffer.from([22, 3, 1, 0, 4, 1, 0, 0, 0])],
    ["something else before the hello is all there", Buffer.from([22, 3, 1, 0, 4, 1, 0, 1, 0, 23])],
    ["a name that is none", Buffer.from(named.toString("latin1").replace("Web.Test", "Web/Test"), "latin1")],
  ])("is %s", (_, bytes) => {
    expect(readClientHello(bytes)).toEqual({ state: "not-tls" });
  });

  test("is found out whatever a client sends, without a crash and without a name of thin air", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const { state } = readClientHello(Buffer.from(bytes));
        expect(["incomplete", "not-tls", "complete"]).toContain(state);
      }),
    );
    fc.assert(
      fc.property(fc.nat(named.length - 1), fc.nat(255), (at, byte) => {
        const spoilt = Buffer.from(named);
        spoilt[at] = byte;
        const hello = readClientHello(spoilt);
        if (hello.state === "complete" && hello.serverName !== undefined)
          expect(hello.serverName).toMatch(/^[a-z0-9_.-]*$/);
      }),
      { numRuns: 500 },
    );
  });
});
