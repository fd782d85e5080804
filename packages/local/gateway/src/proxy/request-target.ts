/** Whom a request is for, and what it asks for there. */
import { hostnameOf } from "../hostnames/hostname.ts";
import { type RawHeaders, valuesOf } from "./headers.ts";

export interface RequestTarget {
  /** As the client wrote it, port included; `""` in HTTP/1.0. */
  readonly host: string;
  readonly hostname: string;
  /** Path and query. */
  readonly target: string;
}

/** Undefined where the request does not say, or says two things. */
export function requestTarget(url: string, raw: RawHeaders): RequestTarget | undefined {
  const hosts = valuesOf(raw, "host");
  if (hosts.length > 1) return undefined;
  const absolute = /^https?:\/\/([^/?#]*)((?:[/?][^#]*)?)$/i.exec(url);
  // What stands in the first line counts, by RFC 9112, 3.2.2.
  const host = absolute?.[1] ?? hosts[0] ?? "";
  const path = absolute ? (absolute[2] ?? "") : url;
  const target = path === "" || path.startsWith("?") ? `/${path}` : path;
  if (host === "") return absolute ? undefined : { host, hostname: "", target };
  const hostname = hostnameOf(host);
  return hostname === undefined ? undefined : { host, hostname, target };
}
