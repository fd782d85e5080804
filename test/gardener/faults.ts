/** What a garden does on bad days. Each knob stays until it is turned back. */
import type { Random } from "@berg/kube";
import type { RequestTarget } from "../faults/request-path.ts";
import { type Given, refusal } from "./kubeconfig-request.ts";

export interface GardenFaults {
  /** Gardener's own API server is away, and kube-apiserver says so; everything else is as ever. */
  outage: boolean;
  /** How many of a hundred writes are answered 403, as while the caches of an admission plugin are not synced. */
  forbiddenPercent: number;
  /** The next so many requests for Gardener's kinds are answered 429, to be sent again after a second. */
  tooMany: number;
  /** The next so many are answered 500. */
  broken: number;
  /** How long every request for Gardener's kinds waits before it is looked at. */
  delayMs: number;
}

export const noFaults = (): GardenFaults => ({ outage: false, forbiddenPercent: 0, tooMany: 0, broken: 0, delayMs: 0 });

export interface FaultAnswer extends Omit<Given, "body"> {
  /** As JSON, unless it is a text. */
  body: object | string;
  headers?: Record<string, string>;
}

export const isGardeners = (path: string): boolean => /^\/apis\/[a-z]+\.gardener\.cloud(\/|$)/.test(path);

/** The answer in the garden's place, or nothing. A fault that is counted is used up by this. */
export function faultFor(
  faults: GardenFaults,
  asked: RequestTarget & { path: string },
  random: Random,
): FaultAnswer | undefined {
  if (!isGardeners(asked.path)) return undefined;
  if (faults.outage) {
    // In these words and not as JSON, as from kube-apiserver when it does not reach an aggregated one.
    return { status: 503, body: "service unavailable\n", headers: { "content-type": "text/plain; charset=utf-8" } };
  }
  if (faults.tooMany > 0) {
    faults.tooMany -= 1;
    const text = "too many requests, please try again later";
    return { ...refusal(429, "TooManyRequests", text), headers: { "retry-after": "1" } };
  }
  if (faults.broken > 0) {
    faults.broken -= 1;
    return refusal(500, "InternalError", "Internal error occurred: etcdserver: request timed out");
  }
  if (isWrite(asked) && random() * 100 < faults.forbiddenPercent) {
    const what = `${asked.resource}.core.gardener.cloud "${asked.name}"`;
    return refusal(403, "Forbidden", `${what} is forbidden: not yet ready to handle request`);
  }
  return undefined;
}

function isWrite({ verb }: RequestTarget): boolean {
  return verb !== "get" && verb !== "list" && verb !== "watch";
}
