/**
 * A server reads a quantity and prints it in its own way; ours is the same. A text that it takes for canonical stays as
 * it was written (`+1`, `1E3`), all others are made so. Inside resource lists (requests, limits, quotas) it also rounds
 * up to thousandths. Not in the table: beyond `999E` a real server prints no suffix at all, and so loses the amount.
 */
import { isBadRequest, parseQuantity, Quantity, StatusError } from "@berg/apimachinery";
import { expect, test } from "vitest";
import { CSIStorageCapacities, type Given, ResourceQuotas } from "./given.ts";

const numbers = [
  "0",
  "1",
  "7",
  "8",
  "10",
  "100",
  "999",
  "1000",
  "1024",
  "1500",
  "2048",
  "4096",
  "1234567",
  "123456789012",
];
const fractions = ["0.5", "1.5", "1.25", "0.001", "0.0001", "1.500", "2.0", "2.", ".5", "0.1234567891", "12.345"];
const suffixes = ["n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const quantityTexts = [
  ...numbers,
  ...fractions,
  ...suffixes.flatMap((suffix) => [`1${suffix}`, `0.5${suffix}`, `100${suffix}`, `8${suffix}`]),
  ...["1e3", "1E3", "1.5e3", "1e-3", "12e6", "1e-9", "1e-10", "100e1", "0e5", "1e18", "1e19", "123e2"],
  ...["+1", "+1.5Gi", "00", "007", "0Ki", "0m", "1023Ki", "1025Ki", "1.5Ki", "1.0001Ki", "0.3Gi", "1536Mi"],
  ...[
    "9223372036854775807",
    "9223372036854775808",
    "99999999999999999999",
    "16Ei",
    "100E",
    "1000000000000000000000n",
    "1000P",
    "3000m",
  ],
];

const refusedTexts = ["", " ", "x", "1x", "1 Gi", "1ki", "1K", "1MI", "1e", "1e3k", "--1", "1,5", "0x10", "1.5.5"];

// Ours refuses what has no digit: "memory: Gi" is a slip, not a zero.
const takenForZero = ["e3", ".", "Gi"];

export function quantities(given: Given): void {
  let count = 0;
  const metadata = () => ({ namespace: given.namespace, name: `q-${++count}` });

  async function alone(capacity: string): Promise<string | undefined> {
    const made = { metadata: metadata(), storageClassName: "any", capacity };
    return (await given.client.create(CSIStorageCapacities, made)).capacity;
  }

  async function inList(cpu: string): Promise<string | undefined> {
    const made = { metadata: metadata(), spec: { hard: { "limits.cpu": cpu } } };
    return (await given.client.create(ResourceQuotas, made)).spec.hard["limits.cpu"];
  }

  test("are printed alike", async () => {
    const printed = await Promise.all(quantityTexts.map(async (text) => [text, await alone(text)]));
    expect(printed).toEqual(quantityTexts.map((text) => [text, parseQuantity(text).toString()]));
  });

  test("are rounded up to thousandths in a resource list", async () => {
    const rounded = (text: string) => {
      const quantity = parseQuantity(text);
      if (quantity.nanos % 1_000_000n === 0n) return quantity;
      return new Quantity(quantity.milliValue() * 1_000_000n, quantity.format);
    };
    const printed = await Promise.all(quantityTexts.map(async (text) => [text, await inList(text)]));
    expect(printed).toEqual(quantityTexts.map((text) => [text, rounded(text).toString()]));
  });

  test("are refused alike", async () => {
    for (const text of refusedTexts) {
      expect.soft(() => parseQuantity(text), text).toThrow();
      const answer = await alone(text).catch((error: unknown) => error);
      expect.soft(answer, text).toBeInstanceOf(StatusError);
      expect.soft(isBadRequest(answer), text).toBe(true);
    }
    for (const text of takenForZero) {
      expect.soft(() => parseQuantity(text), text).toThrow();
      expect.soft(await alone(text), text).toBe("0");
    }
  });
}
