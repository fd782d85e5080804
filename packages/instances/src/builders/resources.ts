/**
 * What a container reserves and what it can use at most: what the author says, and the organiser's defaults for the
 * rest, key by key. What an author wrote is never changed: where one half of a pair is a default, the default gives way.
 */
import { parseQuantity, Quantity } from "@berg/apimachinery";
import type { ChallengeContainer } from "@berg/resources";
import type { ResourceAmounts, ResourceSettings } from "../settings/settings.ts";

type ResourceName = keyof ResourceAmounts;

export interface ContainerResources {
  limits: Record<ResourceName, string>;
  requests: Record<ResourceName, string>;
}

/**
 * Resources as a container of a Pod has them, in the form in which the API server returns them.
 *
 *     containerResources({ resourceLimits: { cpu: "4" }, … }, defaults)
 *     // limits: { cpu: "4", memory: the default, … }, requests: { cpu: the default, … }
 */
export function containerResources(
  { resourceLimits, resourceRequests }: Pick<ChallengeContainer, "resourceLimits" | "resourceRequests">,
  defaults: ResourceSettings,
): ContainerResources {
  const pair = (name: ResourceName) =>
    resolve(
      { limit: resourceLimits?.[name], request: resourceRequests?.[name] },
      { limit: parseQuantity(defaults.limits[name]), request: parseQuantity(defaults.requests[name]) },
    );
  const pairs = eachResource(pair);
  return {
    limits: eachResource((name) => storedQuantity(pairs[name].limit)),
    requests: eachResource((name) => storedQuantity(pairs[name].request)),
  };
}

interface Pair<T> {
  limit: T;
  request: T;
}

/** Kubernetes refuses a request above its limit, so a default never gets on the wrong side of what the author wrote. */
function resolve(written: Pair<string | number | undefined>, defaults: Pair<Quantity>): Pair<Quantity> {
  const request = written.request === undefined ? undefined : parseQuantity(written.request);
  const limit =
    written.limit === undefined ? larger(defaults.limit, request ?? defaults.limit) : parseQuantity(written.limit);
  return { limit, request: request ?? smaller(defaults.request, limit) };
}

export function eachResource<T>(value: (name: ResourceName) => T): Record<ResourceName, T> {
  return { cpu: value("cpu"), memory: value("memory"), "ephemeral-storage": value("ephemeral-storage") };
}

export function larger(a: Quantity, b: Quantity): Quantity {
  return a.compare(b) < 0 ? b : a;
}

export function smaller(a: Quantity, b: Quantity): Quantity {
  return a.compare(b) > 0 ? b : a;
}

const nanosPerMilli = 1_000_000n;

/** In a list of resources the API server rounds up to thousandths, and holds binary amounts below 2^63. */
export function storedQuantity({ nanos, format }: Quantity): string {
  const excess = nanos % nanosPerMilli;
  const rounded = excess === 0n ? nanos : nanos - excess + nanosPerMilli;
  return parseQuantity(new Quantity(rounded, format).toString()).toString();
}
