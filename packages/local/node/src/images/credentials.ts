/**
 * Which sign-ins a pod's pull secrets have for an image, the most specific first, as the kubelet chooses them. Nothing
 * here is ever part of a text.
 */
import type { Secret } from "@berg/kube";
import type { RegistryAuth } from "@berg/local-engine";

interface Entry {
  username?: unknown;
  password?: unknown;
  auth?: unknown;
}

/** Thrown where a secret says something that is no sign-in. The pull fails with this, as the kubelet's does. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}

const hubHost = "index.docker.io";

/** `repository`: with its registry, as a Reference has it. */
export function credentialsFor(repository: string, secrets: readonly Secret[]): RegistryAuth[] {
  const byPlace = new Map<string, RegistryAuth[]>();
  for (const secret of secrets) {
    for (const [place, entry] of Object.entries(entriesOf(secret))) {
      const key = keyOf(place);
      if (key === undefined) continue;
      byPlace.set(key, [...(byPlace.get(key) ?? []), authOf(entry, place)]);
    }
  }
  const places = [...byPlace.keys()].sort().reverse();
  const found = places.filter((place) => covers(place, repository)).flatMap((place) => byPlace.get(place) ?? []);
  if (found.length > 0) return found;
  return repository.startsWith("docker.io/") ? (byPlace.get(hubHost) ?? []) : [];
}

function entriesOf({ type, data, metadata }: Secret): Record<string, Entry> {
  const [key, isNested] =
    type === "kubernetes.io/dockerconfigjson" ? [".dockerconfigjson", true] : [".dockercfg", false];
  const encoded = type === "kubernetes.io/dockerconfigjson" || type === "kubernetes.io/dockercfg" ? data?.[key] : "";
  if (!encoded) return {};
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(encoded, "base64").toString());
  } catch {
    // The parser's own words would show a piece of the secret.
    throw new CredentialsError(`pull secret ${metadata?.name} has no JSON under ${key}`);
  }
  const entries = isNested ? (content as { auths?: unknown } | null)?.auths : content;
  return isObject(entries) ? (entries as Record<string, Entry>) : {};
}

function authOf(entry: Entry, place: string): RegistryAuth {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const { username, password, auth } = isObject(entry) ? entry : {};
  if (!text(auth)) return { username: text(username), password: text(password), serveraddress: place };
  const decoded = Buffer.from(text(auth), "base64").toString();
  const colon = decoded.indexOf(":");
  if (colon < 0) {
    throw new CredentialsError("unable to parse auth field, must be formatted as base64(username:password)");
  }
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1), serveraddress: place };
}

/** Host and path of where a sign-in holds: `https://index.docker.io/v1/` holds for the whole of `index.docker.io`. */
function keyOf(place: string): string | undefined {
  const [, host, rest = ""] = /^(?:https?:\/\/)?([^/?#]*)([^?#]*)/.exec(place) ?? [];
  if (!host) return undefined;
  const path = /^\/v[12]\//.test(rest) ? rest.slice(3) : rest;
  return path === "" || path === "/" ? host : `${host}${path}`;
}

/** `*.example.com/team` covers `eu.example.com/team/web`: each part of the host by its pattern, the path by its start. */
function covers(place: string, repository: string): boolean {
  const [host, path] = splitPlace(place);
  const [imageHost, imagePath] = splitPlace(repository);
  const [parts, port] = splitHost(host);
  const [imageParts, imagePort] = splitHost(imageHost);
  return (
    port === imagePort &&
    parts.length === imageParts.length &&
    imagePath.startsWith(path) &&
    parts.every((part, index) => matches(part, imageParts[index] ?? ""))
  );
}

function splitPlace(place: string): [host: string, path: string] {
  const slash = place.indexOf("/");
  return slash < 0 ? [place, ""] : [place.slice(0, slash), place.slice(slash)];
}

function splitHost(host: string): [parts: string[], port: string] {
  const port = /:(\d*)$/.exec(host);
  const bare = port ? host.slice(0, port.index) : host;
  return [bare.split("."), port?.[1] ?? ""];
}

function matches(pattern: string, part: string): boolean {
  const literal = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(part);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
