/** Scalars that Go reads with a decoder of their own, and writes in one form only. */
import { parseQuantity } from "@berg/apimachinery";
import { goQuote } from "../../errors/go-text.ts";

/** What Go says of a value that it cannot read. */
export class Unreadable extends Error {}

const quantityPattern = /^[+-]?(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
const wrongQuantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** `0.5` becomes `500m`, `1024Mi` becomes `1Gi`. */
export function readQuantity(value: unknown): string {
  if (value === null) return "0";
  if (typeof value !== "string" && typeof value !== "number") throw new Unreadable(wrongQuantity);
  const text = String(value).trim();
  const [, whole = "", fraction = "", suffix = ""] = quantityPattern.exec(text) ?? [];
  if (text === "" || !quantityPattern.test(text)) throw new Unreadable(wrongQuantity);
  try {
    // One without a digit is read as if it had a zero, but for the largest suffixes.
    if (whole !== "" || fraction !== "") return parseQuantity(text).toString();
    parseQuantity(`0${suffix}`);
  } catch {
    throw new Unreadable("unable to parse quantity's suffix");
  }
  if (suffix === "Pi" || suffix === "Ei") throw new Unreadable("unable to parse numeric part of quantity");
  return "0";
}

const timePattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const microTimePattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.\d{6}(?:Z|[+-]\d\d:\d\d)$/;

export function readTime(text: string): string {
  return read(text, timePattern, [[/^\d\d(?:[.,]\d+)?/, "05"]]);
}

/** With six digits after the point, and never without. */
export function readMicroTime(text: string): string {
  return read(text, microTimePattern, [
    [/^\d\d/, "05"],
    [/^\.\d{6}/, ".000000"],
  ]);
}

function read(text: string, pattern: RegExp, seconds: readonly Part[]): string {
  if (!pattern.test(text)) throw new Unreadable(timeProblem(text, seconds));
  if (Number.isNaN(Date.parse(text.replace(",", "."))))
    throw new Unreadable(`parsing time ${goQuote(text)}: out of range`);
  return text;
}

/** What a part of a time looks like, and how Go's layout writes it. */
type Part = readonly [RegExp, string];

const upToMinutes: readonly Part[] = [
  [/^\d{4}/, "2006"],
  [/^-/, "-"],
  [/^\d\d/, "01"],
  [/^-/, "-"],
  [/^\d\d/, "02"],
  [/^T/, "T"],
  [/^\d\d/, "15"],
  [/^:/, ":"],
  [/^\d\d/, "04"],
  [/^:/, ":"],
];

/** Go names the part of the layout at which it stopped, and what was left then. */
function timeProblem(text: string, seconds: readonly Part[]): string {
  const parts = [...upToMinutes, ...seconds, [/^(?:Z|[+-]\d\d:\d\d)/, "Z07:00"] as const];
  const layout = parts.map(([, name]) => name).join("");
  let left = text;
  for (const [part, name] of parts) {
    const [match] = part.exec(left) ?? [];
    if (match === undefined)
      return `parsing time ${goQuote(text)} as "${layout}": cannot parse ${goQuote(left)} as "${name}"`;
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
