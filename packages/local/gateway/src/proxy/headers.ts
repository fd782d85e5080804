/**
 * Header fields as they go on: in their order and spelling, without those that are about one connection only, and with
 * ours about where the request came from. A client's own word on that is dropped: whoever stands behind believes it.
 */

/** `["Host", "a", "Accept", "b"]`, as Node gives and takes them. */
export type RawHeaders = readonly string[];

const ofOneConnection = new Set([
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
    const [name, value] = [raw[at] ?? "", raw[at + 1] ?? ""];
    const lower = name.toLowerCase();
    if (ofOneConnection.has(lower) || named.has(lower) || !keep(lower)) continue;
    kept.push(name, value);
  }
  return kept;
}

/** A connection header names others that are for this connection, too. */
function connectionOptions(raw: RawHeaders): Set<string> {
  const options = valuesOf(raw, "connection").flatMap((value) => value.split(","));
  // Naming these would take from a message what says where it ends, or whom it is for.
  const never = new Set(["host", "content-length"]);
  return new Set(options.map((option) => option.trim().toLowerCase()).filter((option) => !never.has(option)));
}

export function valuesOf(raw: RawHeaders, name: string): string[] {
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

/** The head of a message, as it stands on the wire. */
export function writtenHead(firstLine: string, headers: RawHeaders): Buffer {
  let text = `${firstLine}\r\n`;
  for (let at = 0; at + 1 < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return Buffer.from(`${text}\r\n`, "latin1");
}
