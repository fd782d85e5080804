/** Texts. Positions count characters (code points), as everywhere in CEL. */
import { member, type Overload } from "../functions.ts";
import { CelError, type Value } from "../values.ts";
import { formatText } from "./format-text.ts";

export const strings: Overload[] = [
  member("string.contains(string): bool", (text: string, part: string) => text.includes(part), searching),
  member("string.startsWith(string): bool", (text: string, part: string) => text.startsWith(part)),
  member("string.endsWith(string): bool", (text: string, part: string) => text.endsWith(part)),
  member("string.charAt(int): string", (text: string, at: bigint) => charAt([...text], Number(at))),
  member("string.indexOf(string): int", (text: string, part: string) => indexOf([...text], [...part], 0), searching),
  member(
    "string.indexOf(string, int): int",
    (text: string, part: string, from: bigint) =>
      part === "" ? from : indexOf([...text], [...part], inside(from, [...text].length)),
    searching,
  ),
  member(
    "string.lastIndexOf(string): int",
    (text: string, part: string) => lastIndexOf([...text], [...part], undefined),
    searching,
  ),
  member(
    "string.lastIndexOf(string, int): int",
    (text: string, part: string, from: bigint) =>
      part === "" ? from : lastIndexOf([...text], [...part], inside(from, [...text].length)),
    searching,
  ),
  member("string.lowerAscii(): string", (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase())),
  member("string.upperAscii(): string", (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase())),
  member(
    "string.replace(string, string): string",
    (text: string, from: string, to: string) => text.replaceAll(from, () => to),
    replacing,
  ),
  member("string.replace(string, string, int): string", replaceSome, replacing),
  member("string.split(string): list<string>", (text: string, by: string) => split(text, by), searching),
  member("string.split(string, int): list<string>", splitSome, searching),
  member("string.substring(int): string", (text: string, from: bigint) => substring([...text], from, undefined)),
  member("string.substring(int, int): string", (text: string, from: bigint, to: bigint) =>
    substring([...text], from, to),
  ),
  member("string.trim(): string", (text: string) => text.replace(/^[\s\u0085]+|[\s\u0085]+$/g, "")),
  member("list<string>.join(): string", (list: readonly string[]) => list.join(""), joining),
  member("list<string>.join(string): string", (list: readonly string[], by: string) => list.join(by), joining),
  member("string.format(list<dyn>): string", (text: string, args: readonly Value[]) => formatText(text, args)),
];

/** At worst each character is compared with each. */
function searching(text: string, part: string): number {
  return (text.length * part.length) / 100;
}

/** With what is there in the end: it may be much longer. */
function replacing(text: string, from: string, to: string): number {
  return searching(text, from) + ((text.length + 1) * to.length) / 10;
}

function joining(list: readonly string[], by = ""): number {
  return list.reduce((sum, item) => sum + (item.length + by.length) / 10, 0);
}

function charAt(letters: string[], at: number): string {
  if (at < 0 || at > letters.length) throw outOfRange(at);
  return letters[at] ?? "";
}

/** Where a search starts. */
function inside(at: bigint, length: number): number {
  if (at < 0n || at > BigInt(length)) throw outOfRange(at);
  return Number(at);
}

function indexOf(text: string[], part: string[], from: number): bigint {
  const before = text.slice(0, from).join("").length;
  const at = text.join("").indexOf(part.join(""), before);
  return at < 0 ? -1n : BigInt([...text.join("").slice(0, at)].length);
}

function lastIndexOf(text: string[], part: string[], from: number | undefined): bigint {
  const start = from === undefined ? undefined : text.slice(0, from).join("").length;
  const at = text.join("").lastIndexOf(part.join(""), start);
  return at < 0 ? -1n : BigInt([...text.join("").slice(0, at)].length);
}

function substring(text: string[], from: bigint, to: bigint | undefined): string {
  if (to !== undefined && from > to) throw new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  const start = inside(from, text.length);
  return text.slice(start, to === undefined ? undefined : inside(to, text.length)).join("");
}

function split(text: string, by: string): string[] {
  return by === "" ? [...text] : text.split(by);
}

/** The last of at most `most` parts holds the rest. */
function splitSome(text: string, by: string, most: bigint): string[] {
  if (most === 0n) return [];
  const parts = split(text, by);
  if (most < 0n || BigInt(parts.length) <= most) return parts;
  const count = Number(most);
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(by)];
}

function replaceSome(text: string, from: string, to: string, most: bigint): string {
  let left = most < 0n ? Number.POSITIVE_INFINITY : Number(most);
  return text.replaceAll(from, (found) => (left-- > 0 ? to : found));
}

function outOfRange(at: bigint | number): CelError {
  return new CelError(`index out of range: ${at}`);
}
