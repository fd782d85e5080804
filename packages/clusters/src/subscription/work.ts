/** The surroundings of the work on one request, and what all of it does in the same way. */
import { jsonEqual } from "@berg/apimachinery";
import { type Client, type Clock, type EventRecorder, findCondition, timestamp } from "@berg/kube";
import { type SubscriptionRequestStatus, SubscriptionRequests } from "@berg/resources";
import type { Garden } from "../gardener/garden.ts";
import type { Turns } from "../turns.ts";
import type { GardenAccounts } from "./pool/garden-accounts.ts";
import { limitOf, type MultiAccount } from "./pool/limits.ts";
import type { Claimer } from "./pool/pick.ts";
import type { Rule } from "./pool/rules.ts";
import type { Wanted } from "./pool/wanted.ts";
import type { Requests } from "./requests.ts";
import type { Request } from "./status.ts";
import { conditions, fieldManager, untold, warnings } from "./vocabulary.ts";

export interface SubscriptionSettings {
  rules: readonly Rule[];
  multiAccount: MultiAccount;
}

/** What binding and releasing both work with. */
export interface Work {
  /** Of our own API server. */
  client: Client;
  recorder: EventRecorder;
  garden: Garden;
  accounts: GardenAccounts;
  requests: Requests;
  turns: Turns;
  settings: SubscriptionSettings;
  clock: Clock;
  /** No two processes have the same. */
  process: string;
}

export function nowOf({ clock }: Work): string {
  return timestamp(clock);
}

/** Undefined where a shared account is wanted, which nobody claims. */
export function claimerFor({ settings, clock, process }: Work, request: Request, wanted: Wanted): Claimer | undefined {
  const { tenant } = wanted;
  if (tenant === undefined) return undefined;
  const limit = limitOf(settings.multiAccount, wanted);
  return { tenant, request: request.metadata.uid, process, limit, now: clock.now() };
}

/**
 * Nothing where it says so already. With the version that was seen: what anybody else has written since is looked at
 * first. What is new about the request is told as an event as well.
 */
export async function write(
  { client, requests, recorder }: Work,
  request: Request,
  status: SubscriptionRequestStatus,
  signal: AbortSignal,
): Promise<Request> {
  if (jsonEqual(request.status ?? {}, status)) return request;
  const options = { subresource: "status", fieldManager, signal };
  const written = await client.update(SubscriptionRequests, { ...request, status }, options);
  requests.wrote(written);
  for (const type of [conditions.bound, conditions.released]) {
    const { reason: before } = findCondition(request.status?.conditions, type) ?? {};
    const { reason = "", message = "" } = findCondition(status.conditions, type) ?? {};
    if (reason !== "" && reason !== before && !untold.has(reason))
      recorder.event(request, warnings.has(reason) ? "Warning" : "Normal", reason, message);
  }
  return written;
}
