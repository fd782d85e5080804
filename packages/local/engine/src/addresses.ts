/** IPv4 addresses and ranges as numbers, so that they can be compared, counted and written back in one form. */
import { isIPv4 } from "node:net";

/** `10.202.0.0/16`: its first address, and how many bits all its addresses share. */
export interface Range {
  readonly first: number;
  readonly bits: number;
}

/** Undefined for anything but four numbers with dots. */
export function readAddress(text: string): number | undefined {
  return isIPv4(text) ? text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0) : undefined;
}

export function writeAddress(address: number): string {
  return [2 ** 24, 2 ** 16, 2 ** 8, 1].map((unit) => Math.floor(address / unit) % 256).join(".");
}

/** `10.1.2.3/8` is read as the range that it is in. Undefined for what is no IPv4 range. */
export function readRange(text: string): Range | undefined {
  const [start = "", length = "", ...rest] = text.split("/");
  const address = readAddress(start);
  const bits = Number(length);
  if (address === undefined || rest.length > 0 || !/^\d{1,2}$/.test(length) || bits > 32) return undefined;
  return { first: address - (address % sizeOf(bits)), bits };
}

/** A range of one is written as the address that it is. */
export function writeRange({ first, bits }: Range): string {
  return bits === 32 ? writeAddress(first) : `${writeAddress(first)}/${bits}`;
}

export function isInRange(address: number, { first, bits }: Range): boolean {
  return address >= first && address < first + sizeOf(bits);
}

export function doOverlap(one: Range, other: Range): boolean {
  return isInRange(one.first, other) || isInRange(other.first, one);
}

/** The parts of a range, each with this many shared bits. */
export function countParts(range: Range, bits: number): number {
  return 2 ** (bits - range.bits);
}

export function partOf(range: Range, bits: number, index: number): Range {
  return { first: range.first + index * sizeOf(bits), bits };
}

function sizeOf(bits: number): number {
  return 2 ** (32 - bits);
}
