/** The address of a request, and the values in its query, read as kube-apiserver reads them. */
import { badRequest } from "../errors/refusals.ts";

export interface Address {
  /** Decoded: `%2f` is a slash like any other. */
  path: string;
  query: URLSearchParams;
}

/** Takes what stands in the request line. Throws a refusal where that is no path. */
export function parseAddress(target: string): Address {
  const end = target.indexOf("?");
  const path = end < 0 ? target : target.slice(0, end);
  if (!path.startsWith("/")) throw badRequest("the request names no path");
  try {
    return { path: decodeURIComponent(path), query: new URLSearchParams(end < 0 ? "" : target.slice(end + 1)) };
  } catch {
    throw badRequest("the path of the request is not well encoded");
  }
}

/** Anything but `false` and `0` is a yes, also nothing at all: `?watch`. */
export function readFlag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name)?.toLowerCase();
  return text !== undefined && text !== "false" && text !== "0";
}

export function readOptionalFlag(query: URLSearchParams, name: string): boolean | undefined {
  return query.has(name) ? readFlag(query, name) : undefined;
}

/** Undefined where it is not named. */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[-+]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text.replace("+", ""));
  if (value !== BigInt.asIntN(64, value))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(value);
}

/** Undefined where it is not named, or empty. */
export function readText(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) || undefined;
}
