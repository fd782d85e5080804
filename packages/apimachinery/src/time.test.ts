import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseError } from "./parse-error.ts";
import { compareTimes, formatMicroTime, formatTime, parseTime } from "./time.ts";

const firstMs = Date.parse("0000-01-01T00:00:00Z");
const lastMs = Date.parse("9999-12-31T23:59:59.999Z");
const writableMs = fc.integer({ min: firstMs, max: lastMs });

/** The same instant as a clock in another zone shows it. */
function inZone(ms: number, offsetMinutes: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const zone = `${two(Math.floor(Math.abs(offsetMinutes) / 60))}:${two(Math.abs(offsetMinutes) % 60)}`;
  return formatMicroTime(ms + offsetMinutes * 60_000).replace("Z", `${offsetMinutes < 0 ? "-" : "+"}${zone}`);
}

describe("parseTime", () => {
  test.each([
    { text: "1970-01-01T00:00:00Z", want: 0 },
    { text: "2026-01-31T18:00:00Z", want: Date.UTC(2026, 0, 31, 18) },
    { text: "2026-01-31T18:00:00+00:00", want: Date.UTC(2026, 0, 31, 18) },
    { text: "2026-01-31T18:00:00-00:00", want: Date.UTC(2026, 0, 31, 18) },
    { text: "2026-01-31T18:00:00+01:30", want: Date.UTC(2026, 0, 31, 16, 30) },
    { text: "2026-01-31T18:00:00-08:00", want: Date.UTC(2026, 1, 1, 2) },
    { text: "2024-02-29T23:59:59.5Z", want: Date.UTC(2024, 1, 29, 23, 59, 59, 500) },
    { text: "2026-01-01T00:00:00.123456Z", want: Date.UTC(2026, 0, 1, 0, 0, 0, 123) },
    { text: "2026-01-01T00:00:00.999999999999Z", want: Date.UTC(2026, 0, 1, 0, 0, 0, 999) },
    { text: "1969-12-31T23:59:59.9999Z", want: -1 },
    { text: "0000-01-01T00:00:00Z", want: firstMs },
    { text: "0099-06-01T00:00:00Z", want: Date.parse("0099-06-01T00:00:00Z") },
    { text: "9999-12-31T23:59:59.999Z", want: lastMs },
  ])("reads $text", ({ text, want }) => expect(parseTime(text)).toBe(want));

  test.each([
    ..."2026 2026-01 2026-01-31 2026-01-31T18:00Z 2026-01-31T18:00:00 2026-1-31T18:00:00Z 2026-01-31T8:00:00Z".split(
      " ",
    ),
    "2026-01-31t18:00:00Z",
    "2026-01-31T18:00:00z",
    "2026-01-31 18:00:00Z",
    " 2026-01-31T18:00:00Z",
    "2026-01-31T18:00:00Z\n",
    "2026-01-31T24:00:00Z",
    "2026-01-31T18:60:00Z",
    "2026-12-31T23:59:60Z",
    "2026-01-31T18:00:00.Z",
    "2026-01-31T18:00:00,5Z",
    "2026-01-31T18:00:00+1:00",
    "2026-01-31T18:00:00+0100",
    "2026-01-31T18:00:00+24:00",
    "2026-01-31T18:00:00+01:60",
    "+002026-01-31T18:00:00Z",
    "١٩٧٠-01-01T00:00:00Z",
    "Sat, 31 Jan 2026 18:00:00 GMT",
    "1769882400000",
    "",
  ])("refuses %j", (text) => {
    expect(() => parseTime(text)).toThrow(ParseError);
    expect(() => parseTime(text)).toThrow("it must be RFC 3339, such as 2026-01-31T18:00:00Z");
  });

  test.each([
    "2026-02-29",
    "2026-02-30",
    "1900-02-29",
    "2026-04-31",
    "2026-01-00",
    "2026-00-01",
    "2026-13-01",
    "2026-01-32",
  ])("knows that there is no %s", (day) => {
    expect(() => parseTime(`${day}T12:00:00Z`)).toThrow(ParseError);
    expect(() => parseTime(`${day}T12:00:00Z`)).toThrow("there is no such day");
  });

  test.each(["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"])(
    "refuses %s, which cannot be written in UTC",
    (text) => expect(() => parseTime(text)).toThrow(ParseError),
  );

  test("reads back what was printed", () => {
    fc.assert(
      fc.property(writableMs, (ms) => {
        expect(parseTime(formatMicroTime(ms))).toBe(ms);
        expect(parseTime(formatTime(ms))).toBe(Math.floor(ms / 1000) * 1000);
      }),
    );
  });

  test("gives one instant whatever the zone", () => {
    const day = 24 * 60;
    const ms = fc.integer({ min: firstMs + day * 60_000, max: lastMs - day * 60_000 });
    fc.assert(
      fc.property(ms, fc.integer({ min: 1 - day, max: day - 1 }), (instant, offset) => {
        expect(parseTime(inZone(instant, offset))).toBe(instant);
      }),
    );
  });

  test("reads any text, or refuses it with a ParseError; what it reads can be printed", () => {
    const likely = fc.stringMatching(
      /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-6]\d:[0-6]\d(\.\d{0,12})?(Z|[+-][0-2]\d:[0-6]\d)$/,
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), likely), (text) => {
        try {
          expect(formatTime(parseTime(text))).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });
});

describe("printing", () => {
  test("is in whole seconds, or in microseconds", () => {
    expect(formatTime(1_999)).toBe("1970-01-01T00:00:01Z");
    expect(formatTime(-1)).toBe("1969-12-31T23:59:59Z");
    expect(formatMicroTime(1_999)).toBe("1970-01-01T00:00:01.999000Z");
    expect(formatMicroTime(-0.5)).toBe("1969-12-31T23:59:59.999000Z");
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, firstMs - 1, lastMs + 1, 8.65e15])("refuses %d", (ms) => {
    expect(() => formatTime(ms)).toThrow(RangeError);
    expect(() => formatMicroTime(ms)).toThrow("is not a time in the years 0000-9999");
  });
});

describe("compareTimes", () => {
  test.each([
    { a: "2026-01-01T00:00:00Z", b: "2026-01-01T00:00:01Z", want: -1 },
    { a: "2026-01-01T00:00:00Z", b: "2026-01-01T01:00:00+01:00", want: 0 },
    { a: "2026-01-01T00:00:00+01:00", b: "2026-01-01T00:00:00Z", want: -1 },
    { a: "2026-01-01T00:00:00.1Z", b: "2026-01-01T00:00:00.100000Z", want: 0 },
    { a: "2026-01-01T00:00:00.000000002Z", b: "2026-01-01T00:00:00.000000001Z", want: 1 },
    { a: "1969-12-31T23:59:59.1Z", b: "1969-12-31T23:59:59.9Z", want: -1 },
  ])("$a and $b", ({ a, b, want }) => {
    expect(compareTimes(a, b)).toBe(want);
    expect(compareTimes(b, a)).toBe(0 - want);
  });

  test("agrees with the order of the instants", () => {
    fc.assert(
      fc.property(writableMs, writableMs, (a, b) => {
        expect(compareTimes(formatMicroTime(a), formatMicroTime(b))).toBe(Math.sign(a - b));
      }),
    );
  });
});
