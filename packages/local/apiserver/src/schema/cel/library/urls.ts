/** Addresses of web pages: absolute ones, as Go's url.ParseRequestURI takes them. */
import { global, member, type Overload } from "../functions.ts";
import { CelError, Opaque } from "../values.ts";

class Url extends Opaque {
  readonly typeName = "kubernetes.URL";
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly text: string;

  constructor(text: string, [, scheme = "", host = "", path = "", query = ""]: readonly (string | undefined)[]) {
    super();
    this.text = text;
    this.scheme = scheme.toLowerCase();
    this.host = host.slice(host.lastIndexOf("@") + 1);
    this.path = path;
    this.query = query;
  }

  equals(other: Url): boolean {
    return this.text === other.text;
  }

  hostname(): string {
    return this.host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1");
  }

  port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? "";
  }
}

const type = "kubernetes.URL";

export const urls: Overload[] = [
  global(`url(string): ${type}`, (text: string) => {
    const url = parseUrl(text);
    if (url) return url;
    const shown = JSON.stringify(text);
    throw new CelError(`URL parse error during conversion from string: parse ${shown}: invalid URI for request`);
  }),
  global("isURL(string): bool", (text: string) => parseUrl(text) !== undefined),
  member(`${type}.getScheme(): string`, (url: Url) => url.scheme),
  member(`${type}.getHost(): string`, (url: Url) => url.host),
  member(`${type}.getHostname(): string`, (url: Url) => url.hostname()),
  member(`${type}.getPort(): string`, (url: Url) => url.port()),
  member(`${type}.getEscapedPath(): string`, (url: Url) => encodeURI(url.path).replaceAll("%25", "%")),
  member(`${type}.getQuery(): map<string, list<string>>`, (url: Url) => {
    const query = new Map<string, string[]>();
    for (const [key, value] of new URLSearchParams(url.query)) query.set(key, [...(query.get(key) ?? []), value]);
    return query;
  }),
];

/** Undefined where it is none. */
export function parseUrl(text: string): Url | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in it
  if (/[\u0000-\u001f\u007f]/.test(text) || /%(?![0-9a-f]{2})/i.test(text.replace(/[?#].*$/s, ""))) return undefined;
  const parts = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/is.exec(text);
  if (!parts) return undefined;
  const url = new Url(text, parts);
  const isAbsolute = url.scheme !== "" || url.path.startsWith("/");
  if (!isAbsolute || !/^(?:\[[^\]]*\]|[^\s"<>[\\\]^`{|}:]*)(?::\d*)?$/.test(url.host)) return undefined;
  return url;
}
