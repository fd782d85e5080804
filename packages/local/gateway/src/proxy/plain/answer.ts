/** The head of an answer: what it says, where its body ends, and whether the connection can be used again. */
import type { Framing } from "./body.ts";
import { readHead } from "./message-head.ts";

export interface PlainAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly string[];
  readonly bodyAt: number;
  readonly framing: Exclude<Framing, "broken">;
  /** Whether another request may follow on the connection that it came by. */
  readonly keepsConnection: boolean;
}

const firstLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;

/** `"broken"` cannot be passed on: nobody would know what it says, or where it ends. */
export function readAnswer(
  bytes: Buffer,
  { method, headerBytes }: { method: string; headerBytes: number },
): PlainAnswer | "incomplete" | "broken" {
  const head = readHead(bytes, headerBytes);
  if (!head) return bytes.includes("\r\n\r\n") ? "broken" : "incomplete";
  const line = firstLine.exec(head.firstLine);
  if (!line) return "broken";
  const [, minor, code, reason = ""] = line;
  const status = Number(code);
  const framing = framingOf(head.headers, status, method);
  if (framing === "broken") return "broken";
  const keepsConnection = framing !== "until-close" && keeps(head.headers, minor === "1");
  return { status, reason, headers: head.headers, bodyAt: head.end, framing, keepsConnection };
}

function framingOf(headers: readonly string[], status: number, method: string): Framing {
  let length: string | undefined;
  let coding: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] as string).toLowerCase();
    if (name === "content-length") {
      if (length !== undefined) return "broken";
      length = headers[at + 1] as string;
    } else if (name === "transfer-encoding") {
      if (coding !== undefined) return "broken";
      coding = (headers[at + 1] as string).toLowerCase();
    }
  }
  if (length !== undefined && (coding !== undefined || !/^\d{1,15}$/.test(length))) return "broken";
  if (coding !== undefined && coding !== "chunked") return "broken";
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return "none";
  if (coding !== undefined) return { chunked: true };
  return length === undefined ? "until-close" : { length: Number(length) };
}

function keeps(headers: readonly string[], unlessTold: boolean): boolean {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() !== "connection") continue;
    const options = (headers[at + 1] as string).split(",").map((option) => option.trim().toLowerCase());
    if (options.includes("close")) return false;
    if (options.includes("keep-alive")) return true;
  }
  return unlessTold;
}
