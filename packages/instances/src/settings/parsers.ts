/** How the text of one variable is read. Each answers with the value, or throws what is wrong with the text and the fix. */
import {
  type Duration,
  dns1123LabelProblem,
  dns1123SubdomainProblem,
  isDNS1123Label,
  labelValueProblem,
  parseDuration,
  qualifiedNameProblem,
  quoted,
} from "@berg/apimachinery";
import { longestTimeout } from "../expiry/limits.ts";
import type { Architecture } from "../flags/executable.ts";
import { bandwidthProblem, readAmount } from "./amounts.ts";
import { canonicalCidr } from "./cidr.ts";
import type { GatewayPeer } from "./settings.ts";

export function choice<T extends string>(...values: T[]) {
  return (text: string): T => {
    const value = values.find((value) => value === text);
    if (value === undefined) throw new Error(`${quoted(text)} is none of ${values.join(", ")}`);
    return value;
  };
}

export function yesOrNo(text: string): boolean {
  return choice("true", "false")(text) === "true";
}

export function port(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number < 1 || number > 65535)
    throw new Error(`${quoted(text)} is not a port (1-65535)`);
  return number;
}

const mostCount = 1_000_000;

export function count(text: string): number {
  if (!/^\d{1,7}$/.test(text) || Number(text) > mostCount)
    throw new Error(`${quoted(text)} is not a whole number from 0 to ${mostCount}`);
  return Number(text);
}

/** The name of a namespace. */
export function label(text: string): string {
  return unless(dns1123LabelProblem(text), text);
}

/** The name of most other objects. */
export function name(text: string): string {
  return unless(dns1123SubdomainProblem(text), text);
}

export function optionalName(text: string): string {
  return text === "" ? "" : name(text);
}

/** What Berg puts before the domain: an id of at most 36 characters, and a dot. */
const longestDomain = 253 - 37;

export function domain(text: string): string {
  if (!text.split(".").every(isDNS1123Label)) {
    const fix = 'use parts of at most 63 of a-z, 0-9 and "-", joined by dots, such as challenges.example.com';
    throw new Error(`${quoted(text)} is not a domain: ${fix}`);
  }
  if (text.length > longestDomain)
    throw new Error(`${quoted(text)} leaves no room for the names below it: use at most ${longestDomain} characters`);
  return text;
}

/** How long: `0` is no time at all. */
export function duration(text: string): Duration {
  const length = lengthOf(text);
  if (length === undefined || length < 0n) throw new Error(`${quoted(text)} is not a time such as 90s, 30m or 1h30m`);
  if (length > longestTimeout) throw new Error(`${quoted(text)} is longer than ten years`);
  return length;
}

export function timeoutOrNone(text: string): Duration | undefined {
  if (text === "none") return undefined;
  const length = duration(text);
  if (length === 0n) throw new Error(`${quoted(text)} leaves no time at all; write none for no limit`);
  return length;
}

/** As the API server returns it. */
export function request(text: string): string {
  const amount = readAmount(text);
  if (amount === undefined || amount.nanos < 0n)
    throw new Error(`${quoted(text)} is not an amount such as 100m, 2 or 128Mi`);
  return amount.toString();
}

export function limit(text: string): string {
  const amount = request(text);
  if (amount === "0") throw new Error(`${quoted(text)} is no limit at all on a node; set one above 0`);
  return amount;
}

export function bandwidth(text: string): string {
  return unless(bandwidthProblem(text), text);
}

export function cidrs(text: string): string[] {
  const ranges = text.split(",").map((range) => canonicalCidr(range.trim()));
  return [...new Set(ranges)];
}

/** `ingress`, `host`, or `<namespace>/<labels>` such as `traefik/app=traefik,tier=edge`. */
export function gatewayPeer(text: string): GatewayPeer {
  if (text === "ingress" || text === "host") return { from: text };
  const slash = text.indexOf("/");
  if (slash < 0)
    throw new Error(`${quoted(text)} is none of ingress, host, or <namespace>/<labels> such as traefik/app=traefik`);
  const namespace = label(text.slice(0, slash));
  const pairs = text
    .slice(slash + 1)
    .split(",")
    .map((pair) => labelPair(pair.trim()));
  const matchLabels = Object.fromEntries(pairs);
  if (Object.keys(matchLabels).length < pairs.length) throw new Error(`${quoted(text)} names a label twice`);
  return { from: "pods", namespace, matchLabels };
}

function labelPair(pair: string): [key: string, value: string] {
  const [key = "", value, ...more] = pair.split("=");
  if (value === undefined || more.length > 0) throw new Error(`${quoted(pair)} is not a label such as app=traefik`);
  unless(qualifiedNameProblem(key), key);
  return [key, unless(labelValueProblem(value), value)];
}

const architectures = { amd64: "x86-64", arm64: "aarch64" } as const;

/** None: that of the machine that the controller runs on. */
export function architecture(text: string): Architecture {
  if (text === "") return process.arch === "arm64" ? "aarch64" : "x86-64";
  return architectures[choice("amd64", "arm64")(text)];
}

function unless(problem: string | undefined, text: string): string {
  if (problem !== undefined) throw new Error(problem);
  return text;
}

function lengthOf(text: string): Duration | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}
