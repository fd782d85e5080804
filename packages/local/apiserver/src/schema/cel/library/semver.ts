/** Versions such as `1.2.3-rc.1`. */
import { global, member, type Overload } from "../functions.ts";
import { CelError, Opaque } from "../values.ts";

class Semver extends Opaque {
  readonly typeName = "kubernetes.Semver";
  readonly numbers: readonly bigint[];
  readonly pre: readonly string[];
  constructor(numbers: readonly bigint[], pre: readonly string[]) {
    super();
    this.numbers = numbers;
    this.pre = pre;
  }
  equals(other: Semver): boolean {
    return compare(this, other) === 0;
  }
}

const type = "kubernetes.Semver";
const number = "(0|[1-9]\\d*)";
const shape = new RegExp(`^${number}\\.${number}\\.${number}(?:-([0-9A-Za-z.-]+))?(?:\\+([0-9A-Za-z.-]+))?$`);

export const semver: Overload[] = [
  global(`semver(string): ${type}`, read),
  global(`semver(string, bool): ${type}`, (text: string, normalize: boolean) =>
    read(normalize ? normalized(text) : text),
  ),
  global("isSemver(string): bool", (text: string) => parse(text) !== undefined),
  global(
    "isSemver(string, bool): bool",
    (text: string, normalize: boolean) => parse(normalize ? normalized(text) : text) !== undefined,
  ),
  member(`${type}.isGreaterThan(${type}): bool`, (a: Semver, b: Semver) => compare(a, b) > 0),
  member(`${type}.isLessThan(${type}): bool`, (a: Semver, b: Semver) => compare(a, b) < 0),
  member(`${type}.compareTo(${type}): int`, (a: Semver, b: Semver) => BigInt(compare(a, b))),
  member(`${type}.major(): int`, ({ numbers }: Semver) => numbers[0] as bigint),
  member(`${type}.minor(): int`, ({ numbers }: Semver) => numbers[1] as bigint),
  member(`${type}.patch(): int`, ({ numbers }: Semver) => numbers[2] as bigint),
];

function parse(text: string): Semver | undefined {
  const [match, major, minor, patch, pre, build] = shape.exec(text) ?? [];
  const parts = pre?.split(".") ?? [];
  if (match === undefined || parts.some((part) => !/^(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)$/.test(part)))
    return undefined;
  if (build?.split(".").some((part) => part === "")) return undefined;
  return new Semver(
    [major, minor, patch].map((each) => BigInt(each as string)),
    parts,
  );
}

function read(text: string): Semver {
  const version = parse(text);
  if (!version) throw new CelError("No Major.Minor.Patch elements found");
  return version;
}

/** `v1.2` becomes `1.2.0`. */
function normalized(text: string): string {
  const [, numbers = "", rest = ""] = /^v?([\d.]*)(.*)$/s.exec(text) ?? [];
  const parts = numbers.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  while (parts.length < 3) parts.push("0");
  return parts.join(".") + rest;
}

function compare(a: Semver, b: Semver): -1 | 0 | 1 {
  for (const [at, number] of a.numbers.entries()) {
    const other = b.numbers[at] as bigint;
    if (number !== other) return number < other ? -1 : 1;
  }
  // What comes before a release is smaller than it.
  if (a.pre.length === 0 || b.pre.length === 0) return a.pre.length === b.pre.length ? 0 : a.pre.length === 0 ? 1 : -1;
  for (let at = 0; at < Math.max(a.pre.length, b.pre.length); at++) {
    const order = comparePart(a.pre[at], b.pre[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string | undefined, b: string | undefined): -1 | 0 | 1 {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [numericA, numericB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numericA && numericB) return BigInt(a) < BigInt(b) ? -1 : 1;
  if (numericA !== numericB) return numericA ? -1 : 1;
  return a < b ? -1 : 1;
}
