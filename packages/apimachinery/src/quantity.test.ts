import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseError } from "./parse-error.ts";
import { parseQuantity, Quantity, type QuantityFormat } from "./quantity.ts";

// Text, what Kubernetes prints for it, and its Value(); each row was checked against resource.ParseQuantity.
const vectors: Record<QuantityFormat, string> = {
  DecimalSI: `
    0 0 0 | -0 0 0 | 0.0 0 0 | 00 0 0 | 1 1 1 | -1 -1 -1 | 1.0 1 1 | 1.5 1500m 2 | 1.50 1500m 2 | -1.5 -1500m -2
    .5 500m 1 | 0.5 500m 1 | +.25 250m 1 | 0.100 100m 1 | 1n 1n 1 | 1u 1u 1 | 1m 1m 1 | 1k 1k 1000 | 1M 1M 1000000
    1G 1G 1000000000 | 1T 1T 1000000000000 | 1P 1P 1000000000000000 | 1E 1E 1000000000000000000
    100m 100m 1 | 1000m 1 1 | 1500m 1500m 2 | -100m -100m -1 | 1024 1024 1024 | 1000 1k 1000 | 10000 10k 10000
    123000 123k 123000 | 1001 1001 1001 | 1000k 1M 1000000 | 1000M 1G 1000000000 | 0.5k 500 500 | 1.5k 1500 1500
    0.001k 1 1 | 1.23456M 1234560 1234560 | 5.5m 5500u 1 | 1000n 1u 1 | 1500n 1500n 1
    0.1n 1n 1 | 0.9n 1n 1 | 1.1n 2n 1 | 0.0000000001 1n 1 | 0.0000000011 2n 1 | 0.1234567891 123456790n 1
    0.123456789 123456789n 1 | 1234567890.123456789 1234567890123456789n 1234567891
    999999999999999999n 999999999999999999n 1000000000 | 9223372036854775807 9223372036854775807 9223372036854775807
    123456789012345678 123456789012345678 123456789012345678 | 0.0005Ki 512m 1 | 0.0000000001Ki 103n 1
    +1 +1 1 | 01 01 1 | 007 007 7 | 1. 1. 1 | 1.500 1.500 2 | 12.345 12.345 13 | +100m +100m 1`,
  BinarySI: `
    0Ki 0 0 | 1Ki 1Ki 1024 | 1Mi 1Mi 1048576 | 1Gi 1Gi 1073741824 | 1Ti 1Ti 1099511627776 | 1Pi 1Pi 1125899906842624
    1Ei 1Ei 1152921504606846976 | 7Ei 7Ei 8070450532247928832 | 8Ei 9223372036854775807 9223372036854775807
    16Ei 9223372036854775807 9223372036854775807 | -8Ei -9223372036854775807 -9223372036854775807
    1024Ki 1Mi 1048576 | 1020Ki 1020Ki 1044480 | 8Ki 8Ki 8192 | 1.5Ki 1536 1536 | 1.5Gi 1536Mi 1610612736
    0.5Mi 512Ki 524288 | 0.5Ki 512 512 | 1.1Ki 1126400m 1127 | 0.1Gi 107374182400m 107374183 | 1000Ki 1000Ki 1024000
    1048576Ki 1Gi 1073741824 | 123456Gi 123456Gi 132559870623744 | -1Ki -1Ki -1024 | -1.5Gi -1536Mi -1610612736
    +3Mi +3Mi 3145728 | 003Mi 003Mi 3145728 | 1.Ki 1.Ki 1024 | +12345Gi +12345Gi 13255342817280 | +123457Gi 123457Gi 132560944365568`,
  DecimalExponent: `
    0e5 0 0 | 1e0 1e0 1 | 1e1 10 10 | 1E2 100 100 | 1e3 1e3 1000 | 1E3 1E3 1000 | 1e+3 1e+3 1000 | 1e-3 1e-3 1
    1e-1 100e-3 1 | 15e-1 1500e-3 2 | 1.5e3 1500 1500 | 1e-9 1e-9 1 | 1e-10 1e-9 1 | 5e-12 1e-9 1
    12e6 12e6 12000000 | 1200e3 1200e3 1200000 | 1000e3 1e6 1000000 | 123456789e4 1234567890e3 1234567890000`,
};

const rows = Object.entries(vectors).flatMap(([wantFormat, table]) =>
  table
    .trim()
    .split(/\s*[|\n]\s*/)
    .map((row) => row.split(" "))
    .map(([text = "", wantText = "", wantValue = ""]) => ({ text, wantFormat, wantText, wantValue })),
);

const suffix = fc.constantFrom(..."n u m k M G T P E Ki Mi Gi Ti Pi Ei".split(" "), "");
const exponent = fc.integer({ min: -15, max: 30 }).map((power) => `e${power}`);
const quantityText = fc
  .tuple(
    fc.constantFrom("", "+", "-"),
    fc.bigInt({ min: 0n, max: 10n ** 20n }),
    fc.option(fc.stringMatching(/^\d{0,12}$/)),
    fc.oneof(suffix, exponent),
  )
  .map(([sign, integer, fraction, unit]) => `${sign}${integer}${fraction === null ? "" : `.${fraction}`}${unit}`);
const quantity = quantityText.map(parseQuantity);

describe("a quantity", () => {
  test.each(rows)(
    "$text is read, valued and printed as Kubernetes does",
    ({ text, wantFormat, wantText, wantValue }) => {
      const read = parseQuantity(text);
      expect([read.format, read.toString(), read.value().toString()]).toEqual([wantFormat, wantText, wantValue]);
    },
  );

  test("may be a number, as YAML has it", () => {
    expect(parseQuantity(2).toString()).toBe("2");
    expect(parseQuantity(0.1).toString()).toBe("100m");
    expect(parseQuantity(1e21).value()).toBe(10n ** 21n);
    expect(() => parseQuantity(Number.NaN)).toThrow(ParseError);
  });

  test.each([
    "",
    " ",
    "k",
    "Gi",
    ".",
    "+",
    "-",
    "e3",
    "1 ",
    " 1",
    "1,5",
    "1K",
    "1mi",
    "1Gb",
    "1e",
    "1ee3",
    "1e3.5",
    "1e3Ki",
    "0x10",
    "1_000",
    "--1",
    "1..2",
    "1.2.3",
    "Infinity",
    "١",
  ])("refuses %j", (text) => expect(() => parseQuantity(text)).toThrow(ParseError));

  test("says what is wrong, and what would be right", () => {
    expect(() => parseQuantity("lots")).toThrow(
      'cannot read quantity "lots": it must be a number and a suffix, such as 500m, 1.5, 2Gi or 1e3',
    );
    expect(() => parseQuantity("1GB")).toThrow(
      'cannot read quantity "1GB": "GB" is not a suffix (n u m k M G T P E Ki Mi Gi Ti Pi Ei)',
    );
    expect(() => parseQuantity("1e999999999")).toThrow("its exponent must be within ±1000");
    expect(() => parseQuantity("1".repeat(1001))).toThrow(ParseError);
  });

  test("is negative away from zero too", () => {
    expect(parseQuantity("-0.1n").toString()).toBe("-1n");
    expect(parseQuantity("-0.1n").value()).toBe(-1n);
    expect(parseQuantity("-1.0001").milliValue()).toBe(-1001n);
    expect(parseQuantity("-0.0005Ki").format).toBe("DecimalSI");
  });

  test("counts in thousandths", () => {
    expect(parseQuantity("1").milliValue()).toBe(1000n);
    expect(parseQuantity("1500u").milliValue()).toBe(2n);
  });

  test("stands in JSON as its text", () => {
    expect(JSON.stringify({ cpu: parseQuantity("0.5") })).toBe('{"cpu":"500m"}');
  });

  // Kubernetes itself prints "1" here, and so would lose all but a trifle.
  test("keeps its worth beyond the largest suffix", () => {
    expect(parseQuantity("1000E").toString()).toBe("1000E");
    expect(new Quantity(2n ** 70n * 10n ** 9n, "BinarySI").toString()).toBe("1024Ei");
  });
});

describe("arithmetic", () => {
  test.each([
    { a: "1Gi", b: "512Mi", wantSum: "1536Mi", wantDifference: "512Mi" },
    { a: "1", b: "1m", wantSum: "1001m", wantDifference: "999m" },
    { a: "0", b: "1Ki", wantSum: "1Ki", wantDifference: "-1Ki" },
    { a: "1e3", b: "1Ki", wantSum: "2024", wantDifference: "-24" },
    { a: "1.500", b: "0", wantSum: "1500m", wantDifference: "1500m" },
    { a: "1Ki", b: "1", wantSum: "1025", wantDifference: "1023" },
    { a: "8Ei", b: "1", wantSum: "8Ei", wantDifference: "9223372036854775806" },
    { a: "0.1", b: "0.2", wantSum: "300m", wantDifference: "-100m" },
  ])("$a and $b", ({ a, b, wantSum, wantDifference }) => {
    expect(parseQuantity(a).add(parseQuantity(b)).toString()).toBe(wantSum);
    expect(parseQuantity(a).sub(parseQuantity(b)).toString()).toBe(wantDifference);
  });

  test("obeys the laws of addition", () => {
    fc.assert(
      fc.property(quantity, quantity, quantity, (a, b, c) => {
        expect(a.add(b).compare(b.add(a))).toBe(0);
        expect(
          a
            .add(b)
            .add(c)
            .compare(a.add(b.add(c))),
        ).toBe(0);
        expect(a.add(b).sub(b).compare(a)).toBe(0);
        expect(a.compare(b)).toBe(a.add(c).compare(b.add(c)));
      }),
    );
  });

  test("orders totally", () => {
    fc.assert(
      fc.property(quantity, quantity, quantity, (a, b, c) => {
        expect(a.compare(b) + b.compare(a)).toBe(0);
        expect(a.compare(b) === 0).toBe(a.sub(b).nanos === 0n);
        const [low, middle, high] = [a, b, c].sort((x, y) => x.compare(y));
        expect(low && middle && high && low.compare(middle) <= 0 && low.compare(high) <= 0).toBe(true);
      }),
    );
  });

  test("rounds up, and by less than one", () => {
    fc.assert(
      fc.property(quantity, (q) => {
        const away = q.nanos < 0n ? q.nanos - q.value() * 10n ** 9n : q.value() * 10n ** 9n - q.nanos;
        expect(away >= 0n && away < 10n ** 9n).toBe(true);
      }),
    );
  });
});

describe("round trip", () => {
  // A sum may pass the bound at which Kubernetes holds a binary quantity when it reads one.
  const isHeld = (q: Quantity) => q.format === "BinarySI" && (q.value() >= 2n ** 63n || q.value() <= -(2n ** 63n));

  test("what is printed is read as the same amount", () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        for (const q of [a, a.add(b), a.sub(b)].filter((q) => !isHeld(q)))
          expect(parseQuantity(q.toString()).nanos).toBe(q.nanos);
      }),
    );
  });

  test("a computed amount is printed in a form that stays", () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        const sum = a.add(b);
        fc.pre(!isHeld(sum));
        expect(parseQuantity(sum.toString()).toString()).toBe(sum.toString());
      }),
    );
  });

  test("any text is read, or refused with a ParseError", () => {
    const likely = fc.string({ unit: fc.constantFrom(..."0123456789.+-eEinumkKMGTP "), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), likely), (text) => {
        try {
          expect(parseQuantity(text)).toBeInstanceOf(Quantity);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });
});
