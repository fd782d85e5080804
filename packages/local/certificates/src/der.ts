/** As much of DER, the encoding of certificates, as is needed to write one. Node reads them and cannot make them. */

const tags = { boolean: 0x01, integer: 0x02, bits: 0x03, octets: 0x04, oid: 0x06, utf8: 0x0c, utcTime: 0x17 };
const generalizedTime = 0x18;
const sequenceTag = 0x30;
const setTag = 0x31;

export function sequence(...parts: Buffer[]): Buffer {
  return element(sequenceTag, ...parts);
}

export function set(...parts: Buffer[]): Buffer {
  return element(setTag, ...parts);
}

/** `[number]` of the definition; `constructed` where it holds other elements. */
export function tagged(number: number, constructed: boolean, ...parts: Buffer[]): Buffer {
  return element(0x80 | (constructed ? 0x20 : 0) | number, ...parts);
}

export function boolean(value: boolean): Buffer {
  return element(tags.boolean, Buffer.from([value ? 0xff : 0]));
}

/** Big-endian and not negative. */
export function integer(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  const isNegative = ((digits[0] ?? 0) & 0x80) !== 0;
  return element(tags.integer, isNegative ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

/** `unused`: how many of the last bits say nothing. */
export function bits(bytes: Buffer, unused = 0): Buffer {
  return element(tags.bits, Buffer.from([unused]), bytes);
}

export function octets(bytes: Buffer): Buffer {
  return element(tags.octets, bytes);
}

export function utf8(text: string): Buffer {
  return element(tags.utf8, Buffer.from(text, "utf8"));
}

/** `oid("2.5.4.3")` */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** Years before 2050 have two digits, by the standard. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "");
  const isShort = Number(digits.slice(0, 4)) < 2050;
  return element(isShort ? tags.utcTime : generalizedTime, Buffer.from(isShort ? digits.slice(2) : digits));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}
