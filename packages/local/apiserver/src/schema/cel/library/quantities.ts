/** Amounts such as `500m` and `1Gi`. */
import { ParseError, parseQuantity, Quantity } from "@berg/apimachinery";
import { global, member, type Overload } from "../functions.ts";
import { CelError, Opaque } from "../values.ts";

class QuantityValue extends Opaque {
  readonly typeName = "kubernetes.Quantity";
  readonly amount: Quantity;
  constructor(amount: Quantity) {
    super();
    this.amount = amount;
  }
  equals(other: QuantityValue): boolean {
    return this.amount.compare(other.amount) === 0;
  }
}

const type = "kubernetes.Quantity";
const nanosPerUnit = 1_000_000_000n;
const whole = (value: bigint): QuantityValue => new QuantityValue(new Quantity(value * nanosPerUnit, "DecimalSI"));
const add = (a: QuantityValue, b: QuantityValue): QuantityValue => new QuantityValue(a.amount.add(b.amount));
const sub = (a: QuantityValue, b: QuantityValue): QuantityValue => new QuantityValue(a.amount.sub(b.amount));
const compare = (a: QuantityValue, b: QuantityValue): bigint => BigInt(a.amount.compare(b.amount));

export const quantities: Overload[] = [
  global(`quantity(string): ${type}`, read),
  global("isQuantity(string): bool", (text: string) => {
    try {
      read(text);
      return true;
    } catch {
      return false;
    }
  }),
  global(`sign(${type}): int`, ({ amount }: QuantityValue) => (amount.nanos > 0n ? 1n : amount.nanos < 0n ? -1n : 0n)),
  member(`${type}.isGreaterThan(${type}): bool`, (a: QuantityValue, b: QuantityValue) => compare(a, b) > 0n),
  member(`${type}.isLessThan(${type}): bool`, (a: QuantityValue, b: QuantityValue) => compare(a, b) < 0n),
  member(`${type}.compareTo(${type}): int`, compare),
  member(`${type}.asApproximateFloat(): double`, ({ amount }: QuantityValue) => Number(amount.nanos) / 1e9),
  member(`${type}.asInteger(): int`, (value: QuantityValue) => {
    if (!isInteger(value)) throw new CelError("cannot convert value to integer");
    return value.amount.nanos / nanosPerUnit;
  }),
  member(`${type}.isInteger(): bool`, isInteger),
  member(`${type}.add(${type}): ${type}`, add),
  member(`${type}.add(int): ${type}`, (a: QuantityValue, b: bigint) => add(a, whole(b))),
  member(`${type}.sub(${type}): ${type}`, sub),
  member(`${type}.sub(int): ${type}`, (a: QuantityValue, b: bigint) => sub(a, whole(b))),
];

function isInteger({ amount }: QuantityValue): boolean {
  const units = amount.nanos / nanosPerUnit;
  return amount.nanos % nanosPerUnit === 0n && BigInt.asIntN(64, units) === units;
}

function read(text: string): QuantityValue {
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const rule = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
    throw new CelError(`quantities must match the regular expression '${rule}'`);
  }
}
