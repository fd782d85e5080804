/** Addresses and names of networks, as Go's net, net/url and net/mail read them. */
import { isIPv6 as isAnyIPv6 } from "node:net";

/** Leading zeros are allowed; so is an IPv6 address that ends in an IPv4 one. */
export function isIPv4(text: string): boolean {
  return isDottedQuad(text) || (text.includes(".") && isIPv6(text));
}

export function isIPv6(text: string): boolean {
  return text.includes(":") && !text.includes("%") && isAnyIPv6(text);
}

export function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d{1,6}$/.test(bits)) return false;
  return (isDottedQuad(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}

function isDottedQuad(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,8}$/.test(part) && Number(part) <= 255);
}

/** 6, 8 or 20 bytes. */
export function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2})*$/i.test(text);
  const quads = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text);
  const plain = /^[0-9a-f]+$/i.test(text);
  return (pairs || quads || plain) && [6, 8, 20].includes(text.replace(/[:.-]/g, "").length / 2);
}

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;

export function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255) return false;
  return hostname.test(text) && text.split(".").every((part) => Buffer.byteLength(part) <= 63);
}

/** An absolute URI or an absolute path. */
export function isUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  if (text === "" || /[\x00-\x1f\x7f]/.test(text)) return false;
  if (text === "*") return true;
  const [, scheme] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text) ?? [];
  const rest = (scheme === undefined ? text : text.slice(scheme.length + 1)).split("?")[0] ?? "";
  if (!rest.startsWith("/")) return scheme !== undefined;
  if (scheme === undefined || !rest.startsWith("//")) return isEscaped(rest);
  const [, authority = "", path = ""] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [];
  return isAuthority(authority) && isEscaped(path);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf("@");
  if (at !== -1 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) return false;
  const host = authority.slice(at + 1);
  if (host.startsWith("[")) return /^\[[^\]]*\](?::\d*)?$/.test(host) && isAnyIPv6(host.slice(1, host.indexOf("]")));
  return /^(?:[A-Za-z0-9\-._~!$&'()*+,;=<>"[\]\u0080-\uffff]|%[0-9a-fA-F]{2})*(?::\d*)?$/.test(host);
}

function isEscaped(path: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(path);
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+";
const quoted = '"(?:[^"\\\\\\r\\n]|\\\\.)*"';
const address = new RegExp(`^(?:${atom}(?:\\.${atom})*|${quoted})@(?:${atom}(?:\\.${atom})*|\\[[^\\]]*\\])$`);
const displayName = new RegExp(`^(?:[A-Za-z0-9!#$%&'*+/=?^_\`{|}~.\\u0080-\\uffff\\s-]|${quoted})*$`);

/** `one@example.com` or `One <one@example.com>`. */
export function isEmail(text: string): boolean {
  const trimmed = text.trim();
  if (!trimmed.endsWith(">")) return address.test(trimmed);
  const start = trimmed.lastIndexOf("<");
  return start !== -1 && displayName.test(trimmed.slice(0, start)) && address.test(trimmed.slice(start + 1, -1));
}
