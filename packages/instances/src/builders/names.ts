/**
 * The names of the objects of an instance. Each follows from the instance and its Challenge alone, so that a retry after
 * a crash finds what was made.
 */
import { createHash, createHmac } from "node:crypto";

/** What a namespace, a Service and a label value may have. */
export const longestLabel = 63;

export function instanceNamespaceName(ownerId: string): string {
  return `challenge-${ownerId}`;
}

/** Whose it is, by its name alone: that is what keeps others from it, whatever became of its labels. */
export function ownerOfNamespace(name: string): string | undefined {
  return /^challenge-(.+)$/.exec(name)?.[1];
}

export const networkPolicyName = "challenge-network-policy";
export const resourceQuotaName = "challenge-quota";
export const limitRangeName = "challenge-limits";

/** Where the other containers reach this one, at all its ports. */
export function serviceName(hostname: string): string {
  return hostname;
}

/** Where players reach the ports that are open at every node. */
export function nodePortServiceName(hostname: string): string {
  return shortened(`${hostname}-node-port`);
}

export function headlessServiceName(hostname: string): string {
  return shortened(`${hostname}-headless`);
}

export function routeName(hostname: string, port: number): string {
  return `${hostname}-${port}`;
}

/**
 * The first part of a route's hostname: 128 bits that a player can only know by being told.
 *
 * What makes them unguessable is the UID of the ChallengeInstance, which the API server draws at random (122 bits) and
 * no player is shown. The flag is no key here: it may be set after the instance has started, and the hostname must not
 * change then.
 */
export function routeId(uid: string, hostname: string, port: number, protocol: "TCP" | "UDP"): string {
  const route = `berg route\0${hostname}\0${port}\0${protocol}`;
  return createHmac("sha256", uid).update(route).digest("hex").slice(0, 32);
}

/** Text that fits: cut, and then told apart from others with the same beginning by a hash of the whole. */
export function shortened(text: string, longest = longestLabel): string {
  if (text.length <= longest) return text;
  return withHash(text, createHash("sha256").update(text).digest("hex").slice(0, 10), longest);
}

/** `withHash("cookie-jar", "0a1b2c", 63)` is `"cookie-jar-0a1b2c"`; of a long text as much as fits is left. */
export function withHash(text: string, hash: string, longest = longestLabel): string {
  const beginning = text.slice(0, longest - hash.length - 1).replace(/[^A-Za-z0-9]+$/, "");
  return `${beginning}-${hash}`;
}
