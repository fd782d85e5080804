import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FirstBytes } from "./first-bytes.ts";
import {
  type Connection,
  headerLength,
  preambleLength,
  printHeader,
  printPreamble,
  readHeader,
  readPreamble,
  StreamTokens,
  sessionKey,
} from "./preamble.ts";

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const connection: fc.Arbitrary<Connection> = fc.record({
  session: fc
    .tuple(u32, fc.uint8Array({ minLength: 32, maxLength: 32 }))
    .map(([id, key]) => sessionKey({ id, key: Buffer.from(key) })),
  number: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
});
const name = fc.record({ tunnelId: u32, streamId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) });

const flipped = (bytes: Buffer, bit: number) => {
  const other = Buffer.from(bytes);
  const at = bit % (bytes.length * 8);
  other[at >> 3] = (other[at >> 3] as number) ^ (1 << (at & 7));
  return other;
};

describe("a preamble", () => {
  test("is read as it was printed", () => {
    fc.assert(
      fc.property(connection, (connection) => {
        const bytes = printPreamble(connection);
        expect(bytes.length).toBe(preambleLength);
        expect(readPreamble(bytes, connection.session)).toBe(connection.number);
      }),
    );
  });

  test("with any bit changed is refused", () => {
    fc.assert(
      fc.property(connection, fc.nat(), (connection, bit) => {
        expect(readPreamble(flipped(printPreamble(connection), bit), connection.session)).toBeTypeOf("string");
      }),
    );
  });

  test.each([
    ["without a session", undefined, "its session is not the present one"],
    ["of another session", sessionKey({ id: 2, key: Buffer.alloc(32, 1) }), "its session is not the present one"],
    ["of another key", sessionKey({ id: 1, key: Buffer.alloc(32, 2) }), "it does not know the key"],
  ])("%s is refused", (_, session, why) => {
    const ours = sessionKey({ id: 1, key: Buffer.alloc(32, 1) });
    expect(readPreamble(printPreamble({ session: ours, number: 1 }), session)).toBe(why);
  });

  test("of another version is refused", () => {
    const bytes = printPreamble({ session: sessionKey({ id: 1, key: Buffer.alloc(32) }), number: 1 });
    bytes[0] = 2;
    expect(readPreamble(bytes, sessionKey({ id: 1, key: Buffer.alloc(32) }))).toContain("another version");
  });
});

describe("a header", () => {
  test("is read as it was printed, one after the other", () => {
    fc.assert(
      fc.property(connection, fc.array(name, { maxLength: 10 }), (connection, names) => {
        const [ours, theirs] = [new StreamTokens(connection), new StreamTokens(connection)];
        for (const name of names) {
          const bytes = printHeader(ours, name);
          expect(bytes.length).toBe(headerLength);
          expect(readHeader(bytes, theirs)).toEqual(name);
        }
      }),
    );
  });

  test("with any bit of its token changed is refused", () => {
    fc.assert(
      fc.property(connection, name, fc.nat(), (connection, name, bit) => {
        const bytes = printHeader(new StreamTokens(connection), name);
        const forged = Buffer.concat([bytes.subarray(0, 12), flipped(bytes.subarray(12), bit)]);
        expect(readHeader(forged, new StreamTokens(connection))).toBeUndefined();
      }),
    );
  });

  test.each([1, 2, 4, 5])("of another connection of the same session is refused (%d)", (before) => {
    const session = sessionKey({ id: 1, key: randomBytes(32) });
    const [ours, theirs] = [new StreamTokens({ session, number: 1 }), new StreamTokens({ session, number: 2 })];
    for (let stream = 1; stream < before; stream++) expect(ours.next()).not.toEqual(theirs.next());
    expect(readHeader(printHeader(ours, { tunnelId: 1, streamId: 1n }), theirs)).toBeUndefined();
  });

  test("has a token of its own, each", () => {
    const tokens = new StreamTokens({ session: sessionKey({ id: 1, key: randomBytes(32) }), number: 1 });
    const said = Array.from({ length: 100 }, () => tokens.next().toString("hex"));
    expect(new Set(said).size).toBe(100);
  });
});

test("a key that is too short is refused, without telling it", () => {
  expect(() => sessionKey({ id: 1, key: Buffer.from("secret") })).toThrow(/^the key of a session has 32 bytes, not 6$/);
});

test("the first bytes are the same however they are cut, and no other is lost", () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.uint8Array({ maxLength: 200 }), cuts, (length, all, cuts) => {
      const bytes = Buffer.from(all);
      const first = new FirstBytes(length);
      let at = 0;
      let whole: ReturnType<FirstBytes["add"]>;
      for (const cut of [...cuts, bytes.length]) {
        if (whole || at >= bytes.length) break;
        whole = first.add(bytes.subarray(at, at + cut));
        at = Math.min(bytes.length, at + cut);
      }
      expect(whole !== undefined).toBe(bytes.length >= length);
      if (!whole) return;
      expect(whole.first.equals(bytes.subarray(0, length))).toBe(true);
      expect(whole.rest.equals(bytes.subarray(length, at))).toBe(true);
    }),
  );
});
