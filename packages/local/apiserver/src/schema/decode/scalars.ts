/** Scalars that Go reads with a decoder of their own, and writes in one form only. */
import { parseQuantity } from "@berg/apimachinery";
import { goQuote } from "../../errors/go-text.ts";

/** What Go says of a value that it cannot read. */
export class Unreadable extends Error {}

const quantityPattern = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const wrongQuantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** `0.5` becomes `500m`, `1024Mi` becomes `1Gi`. */
export function readQuantity(value: unknown): string {
  if (value === null) return "0";
  if (typeof value !== "string" && typeof value !== "number") throw new Unreadable(wrongQuantity);
  const text = String(value).trim();
  if (!quantityPattern.test(text)) throw new Unreadable(wrongQuantity);
  try {
    return parseQuantity(text).toString();
  } catch {
    throw new Unreadable("unable to parse quantity's suffix");
  }
}

const timePattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const layout = "2006-01-02T15:04:05Z07:00";

export function readTime(text: string): string {
  if (!timePattern.test(text)) throw new Unreadable(timeProblem(text));
  if (Number.isNaN(Date.parse(text.replace(",", "."))))
    throw new Unreadable(`parsing time ${goQuote(text)}: out of range`);
  return text;
}

/** Go names the part of the layout at which it stopped, and what was left then. */
function timeProblem(text: string): string {
  const parts = [
    /^\d{4}/,
    /^-/,
    /^\d\d/,
    /^-/,
    /^\d\d/,
    /^T/,
    /^\d\d/,
    /^:/,
    /^\d\d/,
    /^:/,
    /^\d\d(?:[.,]\d+)?/,
    /^(?:Z|[+-]\d\d:\d\d)/,
  ];
  const names = ["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05", "Z07:00"];
  let left = text;
  for (const [index, part] of parts.entries()) {
    const [match] = part.exec(left) ?? [];
    if (match === undefined)
      return `parsing time ${goQuote(text)} as "${layout}": cannot parse ${goQuote(left)} as "${names[index]}"`;
    left = left.slice(match.length);
  }
  return `parsing time ${goQuote(text)}: extra text: ${goQuote(left)}`;
}

/** Base64 without the line breaks that it may have. */
export function readBytes(text: string): string {
  const plain = text.replace(/[\r\n]/g, "");
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(plain)) return plain;
  const wrong = plain.search(/[^A-Za-z0-9+/]/);
  throw new Unreadable(`illegal base64 data at input byte ${wrong === -1 ? plain.length - (plain.length % 4) : wrong}`);
}
