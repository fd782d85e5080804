/**
 * Header fields as they go on: in their order and spelling, without those that are about one connection only, and with
 * ours about where the request came from. A client's own word on that is dropped: whoever stands behind believes it.
 */

/** `["Host", "a", "Accept", "b"]`, as Node gives and takes them. */
export type RawHeaders = readonly string[];

/** About one connection only: they never go on. */
export const ofOneConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const aboutTheOrigin = new Set(["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"]);

export interface Origin {
  readonly address: string;
  readonly proto: "http" | "https";
  /** As the client wrote it. */
  readonly host: string;
}

export function requestHeaders(raw: RawHeaders, origin: Origin): string[] {
  const kept = endToEnd(raw, (name) => !aboutTheOrigin.has(name) && name !== "host");
  const { address, proto, host } = origin;
  const ours = ["x-forwarded-for", address, "x-forwarded-proto", proto, "x-forwarded-host", host];
  return ["Host", host, ...kept, ...ours];
}

export function responseHeaders(raw: RawHeaders): string[] {
  return endToEnd(raw, () => true);
}

function endToEnd(raw: RawHeaders, keep: (name: string) => boolean): string[] {
  const named = connectionOptions(raw);
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [raw[at] as string, raw[at + 1] as string];
    const lower = name.toLowerCase();
    if (ofOneConnection.has(lower) || named?.has(lower) || !keep(lower)) continue;
    kept.push(name, value);
  }
  return kept;
}

/** Naming these would take from a message what says where it ends, or whom it is for. */
const never = new Set(["host", "content-length"]);

/** A connection header names others that are for this connection, too. */
function connectionOptions(raw: RawHeaders): Set<string> | undefined {
  const value = headerOf(raw, "connection");
  if (value === undefined) return undefined;
  const options = value.split(",").map((option) => option.trim().toLowerCase());
  return new Set(options.filter((option) => !never.has(option)));
}

export function valuesOf(raw: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const each = raw[at] as string;
    if (each.length === name.length && each.toLowerCase() === name) values.push(raw[at + 1] as string);
  }
  return values;
}

/** All values of it, as one; the name in lower case. */
export function headerOf(raw: RawHeaders, name: string): string | undefined {
  const values = valuesOf(raw, name);
  return values.length > 1 ? values.join(", ") : values[0];
}

/** Methods that have no body unless they say so. */
const bodiless = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"]);

/** Whoever gets a request of another method wants to be told that there is no body. */
export function missingLength(method: string, raw: RawHeaders): string[] {
  const isMissing = !bodiless.has(method) && headerOf(raw, "content-length") === undefined;
  return isMissing ? ["Content-Length", "0"] : [];
}

/** The head of a message, as it stands on the wire. */
export function writtenHead(firstLine: string, headers: RawHeaders): Buffer {
  let text = `${firstLine}\r\n`;
  for (let at = 0; at + 1 < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return Buffer.from(`${text}\r\n`, "latin1");
}
