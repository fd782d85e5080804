/**
 * The requests that nearly all are, read in a few microseconds. What is unusual in any way is none of them, and is left
 * to Node's parser, which knows the rest of HTTP: so that what goes on is never what another reads differently.
 */
import { ofOneConnection } from "../headers.ts";
import { readHead } from "./message-head.ts";

export interface PlainRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly rawHeaders: readonly string[];
  /** Where in the bytes its body begins, and how long that is. */
  readonly bodyAt: number;
  readonly bodyLength: number;
}

const firstLine = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[\x21-\x7e]*) HTTP\/1\.1$/;

/** Undefined where it is no plain one, or its head is not all there. */
export function readPlainRequest(
  bytes: Buffer,
  limits: { headerBytes: number; headers: number },
): PlainRequest | undefined {
  const head = readHead(bytes, limits.headerBytes);
  if (!head || head.headers.length > 2 * limits.headers) return undefined;
  const line = firstLine.exec(head.firstLine);
  if (!line) return undefined;
  const { headers } = head;
  let hosts = 0;
  let length: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] as string).toLowerCase();
    if (name === "host") hosts++;
    else if (name === "content-length") {
      if (length !== undefined) return undefined;
      length = headers[at + 1] as string;
    } else if (name === "connection") {
      if (headers[at + 1]?.toLowerCase() !== "keep-alive") return undefined;
    } else if (name === "expect" || ofOneConnection.has(name)) return undefined;
  }
  if (hosts !== 1 || !/^\d{1,15}$/.test(length ?? "0")) return undefined;
  const [, method, url] = line as unknown as [string, string, string];
  return { method, url, rawHeaders: headers, bodyAt: head.end, bodyLength: Number(length ?? 0) };
}
