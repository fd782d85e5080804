/** Ranges of IPv4 addresses, and how they are cut into smaller ones. */
export interface Range {
  /** The first address, as a number. */
  readonly first: number;
  readonly prefix: number;
}

/** `parseRange("10.250.0.0/16")`; undefined where it is none, or has bits behind its prefix. */
export function parseRange(text: string): Range | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  if (!match) return undefined;
  const [a, b, c, d, prefix] = match.slice(1).map(Number) as [number, number, number, number, number];
  if ([a, b, c, d].some((part) => part > 255) || prefix > 32) return undefined;
  // Not by shifts, which make numbers from 2³¹ negative.
  const first = ((a * 256 + b) * 256 + c) * 256 + d;
  return first % sizeOf(prefix) === 0 ? { first, prefix } : undefined;
}

export function formatRange({ first, prefix }: Range): string {
  const part = (divisor: number) => Math.floor(first / divisor) % 256;
  return `${part(2 ** 24)}.${part(2 ** 16)}.${part(256)}.${part(1)}/${prefix}`;
}

/** The `index`-th of the pieces with this prefix; undefined where there are not so many. */
export function pieceOf(range: Range, prefix: number, index: number): Range | undefined {
  if (prefix < range.prefix || prefix > 32 || index >= 2 ** (prefix - range.prefix)) return undefined;
  return { first: range.first + index * sizeOf(prefix), prefix };
}

export function overlap(one: Range, other: Range): boolean {
  return one.first < other.first + sizeOf(other.prefix) && other.first < one.first + sizeOf(one.prefix);
}

function sizeOf(prefix: number): number {
  return 2 ** (32 - prefix);
}
