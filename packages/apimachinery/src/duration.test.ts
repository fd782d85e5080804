import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { durationFromMs, durationToMs, formatDuration, parseDuration } from "./duration.ts";
import { ParseError } from "./parse-error.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const duration = fc.oneof(
  int64,
  fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n }),
  fc.bigInt({ min: -2000n, max: 2000n }),
);

describe("parseDuration", () => {
  test.each([
    { text: "0", want: 0n, wantText: "0s" },
    { text: "-0", want: 0n, wantText: "0s" },
    { text: "0h", want: 0n, wantText: "0s" },
    { text: "1ns", want: 1n, wantText: "1ns" },
    { text: "1100ns", want: 1_100n, wantText: "1.1µs" },
    { text: "1us", want: 1_000n, wantText: "1µs" },
    { text: "1µs", want: 1_000n, wantText: "1µs" },
    { text: "1μs", want: 1_000n, wantText: "1µs" },
    { text: "300ms", want: 300_000_000n, wantText: "300ms" },
    { text: "2.0505ms", want: 2_050_500n, wantText: "2.0505ms" },
    { text: "5s", want: 5_000_000_000n, wantText: "5s" },
    { text: "1.5s", want: 1_500_000_000n, wantText: "1.5s" },
    { text: "5.s", want: 5_000_000_000n, wantText: "5s" },
    { text: ".5s", want: 500_000_000n, wantText: "500ms" },
    { text: "90s", want: 90_000_000_000n, wantText: "1m30s" },
    { text: "-1m", want: -60_000_000_000n, wantText: "-1m0s" },
    { text: "+1m", want: 60_000_000_000n, wantText: "1m0s" },
    { text: "2h", want: 7_200_000_000_000n, wantText: "2h0m0s" },
    { text: "1h30m", want: 5_400_000_000_000n, wantText: "1h30m0s" },
    { text: "1.5h", want: 5_400_000_000_000n, wantText: "1h30m0s" },
    { text: "-1.5h", want: -5_400_000_000_000n, wantText: "-1h30m0s" },
    { text: "1m1h", want: 3_660_000_000_000n, wantText: "1h1m0s" },
    { text: "1h15m30.918273645s", want: 4_530_918_273_645n, wantText: "1h15m30.918273645s" },
    { text: "0.3333333333333333333h", want: 1_200_000_000_000n, wantText: "20m0s" },
    { text: "0.100000000000000000000h", want: 360_000_000_000n, wantText: "6m0s" },
    { text: "0.9223372036854775807h", want: 3_320_413_933_267n, wantText: "55m20.413933267s" },
    { text: "0.59957434110583324308767949h", want: 2_158_467_627_980n, wantText: "35m58.46762798s" },
    { text: "9223372036854775807ns", want: 2n ** 63n - 1n, wantText: "2562047h47m16.854775807s" },
    { text: "-9223372036854775808ns", want: -(2n ** 63n), wantText: "-2562047h47m16.854775808s" },
  ])("reads $text as Go does", ({ text, want, wantText }) => {
    expect(parseDuration(text)).toBe(want);
    expect(formatDuration(want)).toBe(wantText);
  });

  test.each([
    { text: "", want: 'cannot read duration "": it must be numbers with units, such as 90s or 1h30m' },
    { text: "-", want: "it must be numbers with units" },
    { text: ".s", want: "it must be numbers with units" },
    { text: ".", want: "it must be numbers with units" },
    { text: "s", want: "it must be numbers with units" },
    { text: "+-1s", want: "it must be numbers with units" },
    { text: " 1s", want: "it must be numbers with units" },
    { text: "3", want: "a unit is missing (ns us ms s m h)" },
    { text: "1h30", want: "a unit is missing" },
    { text: "1.2.3s", want: "a unit is missing" },
    { text: "2d", want: 'cannot read duration "2d": unknown unit "d" (ns us ms s m h)' },
    { text: "1h 30m", want: 'unknown unit "h "' },
    { text: "1H", want: 'unknown unit "H"' },
    { text: "3000000h", want: "it is longer than 292 years" },
    { text: "9223372036854775808ns", want: "it is longer than 292 years" },
    { text: "-9223372036854775809ns", want: "it is longer than 292 years" },
    { text: "9223372036854775808ns9223372036854775808ns", want: "it is longer than 292 years" },
  ])("refuses $text", ({ text, want }) => {
    expect(() => parseDuration(text)).toThrow(ParseError);
    expect(() => parseDuration(text)).toThrow(want);
  });

  test("reads back what was printed, to the nanosecond", () => {
    fc.assert(
      fc.property(duration, (d) => {
        expect(parseDuration(formatDuration(d))).toBe(d);
      }),
    );
  });

  test("adds the pieces", () => {
    const piece = fc
      .tuple(fc.nat(1000), fc.constantFrom("ns", "us", "ms", "s", "m", "h"))
      .map(([n, unit]) => `${n}${unit}`);
    fc.assert(
      fc.property(piece, piece, (a, b) => {
        expect(parseDuration(a + b)).toBe(parseDuration(a) + parseDuration(b));
      }),
    );
  });

  test("reads any text, or refuses it with a ParseError", () => {
    const likely = fc.string({ unit: fc.constantFrom(..."0123456789.+-nuµmsh"), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), likely), (text) => {
        try {
          expect(typeof parseDuration(text)).toBe("bigint");
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });
});

describe("milliseconds", () => {
  test("are what timers and clocks count in", () => {
    expect(durationToMs(parseDuration("1.5s"))).toBe(1500);
    expect(durationToMs(parseDuration("1us"))).toBe(0.001);
    expect(durationFromMs(7_200_000)).toBe(parseDuration("2h"));
    expect(durationFromMs(-0.5)).toBe(-500_000n);
  });

  test("come back the same where they are whole", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (ms) => {
        expect(durationToMs(durationFromMs(ms))).toBe(ms);
      }),
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("%d is no duration", (ms) => {
    expect(() => durationFromMs(ms)).toThrow(RangeError);
  });
});
