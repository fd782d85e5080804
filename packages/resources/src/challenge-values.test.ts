import fc from "fast-check";
import { expect, test } from "vitest";
import { environmentText, fileModeBits, transportProtocol } from "./challenge-values.ts";

test.each([
  ["0444", 0o444],
  ["444", 0o444],
  ["0o444", 0o444],
  ["0", 0],
  ["07", 7],
  [292, 0o444],
])("the bits of mode %j are %i", (mode, want) => {
  expect(fileModeBits(mode)).toBe(want);
});

test("the bits of a mode are the same in every spelling", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0o777 }), (bits) => {
      const digits = bits.toString(8);
      expect([digits, `0${digits}`, `0o${digits}`, bits].map(fileModeBits)).toEqual([bits, bits, bits, bits]);
    }),
  );
});

test.each([
  ["text", "text"],
  [8080, "8080"],
  [0.5, "0.5"],
  [true, "true"],
  [false, "false"],
  [null, ""],
])("the environment variable %j holds %j", (value, want) => {
  expect(environmentText(value)).toBe(want);
});

test.each([
  ["tcp", "TCP"],
  ["Udp", "UDP"],
])("the protocol %s is %s for a Service", (protocol, want) => {
  expect(transportProtocol(protocol)).toBe(want);
});
