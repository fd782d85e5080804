/** What a target makes of a kubeconfig, and what it has of a request. */
import { isForbidden, isUnauthorized, type KubeObject, type ResourceType } from "@berg/apimachinery";
import { type Client, ConnectionError, Pods } from "@berg/kube";
import { expect } from "vitest";
import { eventually } from "../../../../../test/runtime/eventually.ts";
import type { Request } from "../names.ts";
import { holdingsOf } from "../target/holdings.ts";
import { clientOf } from "./place.ts";

/** `works`, `forbidden`, `unknown`, or `away` where nobody answers. */
export async function tried(kubeconfig: string): Promise<string> {
  const client = await clientOf(kubeconfig);
  try {
    return await triedWith(client);
  } finally {
    await client.close();
  }
}

export async function triedWith(client: Client, type: ResourceType<KubeObject> = Pods): Promise<string> {
  try {
    await client.list(type, { namespace: "default" });
    return "works";
  } catch (error) {
    if (isUnauthorized(error)) return "unknown";
    if (isForbidden(error)) return "forbidden";
    if (error instanceof ConnectionError) return "away";
    throw error;
  }
}

/** An API server caches for 10 s that a token is valid; the slack is for a busy machine. */
const believedMs = 10_000;
const slackMs = 10_000;
/** Far below the 10 s, and seldom enough that dozens of kubeconfigs polled at once do not keep the processors busy. */
const pollIntervalMs = 250;

/** From now on, asked again and again, which does not make it live longer. */
export async function refusedInTime(kubeconfig: string, what: string): Promise<void> {
  const client = await clientOf(kubeconfig);
  try {
    const isRefused = async () => (await triedWith(client)) === "unknown";
    await eventually(`${what} is refused`, isRefused, believedMs + slackMs, pollIntervalMs);
  } finally {
    await client.close();
  }
}

/** Of those kubeconfigs, in all that was logged and said of them. */
export function expectNoToken(told: string, kubeconfigs: readonly string[]): void {
  for (const text of kubeconfigs) {
    const token = /token: >?-?\s*(\S+)/.exec(text)?.[1] ?? "";
    const [, claims = "", signature = ""] = token.split(".");
    expect(signature.length).toBeGreaterThan(40);
    for (const secret of [claims, signature]) expect(told.includes(secret), "a token was told").toBe(false);
  }
}

/** `serviceAccounts 1, anchors 2`, or nothing. */
export async function heldFor(target: Client, request: Request): Promise<string> {
  const held = await holdingsOf(target, request, new AbortController().signal);
  return Object.entries(held)
    .flatMap(([kind, objects]) => (objects.length === 0 ? [] : [`${kind} ${objects.length}`]))
    .join(", ");
}
