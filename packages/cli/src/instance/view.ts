/**
 * An instance as these commands show it: what `--json` prints, and what the texts for people are made of. The README
 * beside this file documents the fields; programs rely on them. The flag is never among them.
 */
import type { Stored } from "@berg/apimachinery";
import { type ChallengeInstance, type InstancePhase, isEnding, type TerminationReason } from "@berg/resources";
import { type Address, addressOf } from "./addresses.ts";

export interface InstanceView {
  name: string;
  namespace: string;
  uid: string;
  challenge: string;
  owner: string;
  /** Pending, too, as long as nobody has looked at it. */
  phase: InstancePhase;
  /** Whether its end was asked for. */
  ending: boolean;
  reason?: string;
  message?: string;
  addresses: Address[];
  instanceId?: string;
  instanceNamespace?: string;
  createdAt: string;
  startedAt?: string;
  readyAt?: string;
  expiresAt?: string;
  renewals: number;
  terminationReason?: TerminationReason;
}

/** `web`: the names of its ports that are for a browser. */
export function viewOf(instance: Stored<ChallengeInstance>, web: ReadonlySet<string> = new Set()): InstanceView {
  const { metadata, spec, status = {} } = instance;
  const { reason, message, instanceId, namespace, startedAt, readyAt, expiresAt, terminationReason } = status;
  const given = {
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    addresses: (status.services ?? []).map((service) => addressOf(service, web)),
    ...(instanceId !== undefined && { instanceId }),
    ...(namespace !== undefined && { instanceNamespace: namespace }),
    createdAt: metadata.creationTimestamp,
    ...(startedAt !== undefined && { startedAt }),
    ...(readyAt !== undefined && { readyAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    renewals: status.renewals ?? 0,
    ...(terminationReason !== undefined && { terminationReason }),
  };
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? "",
    uid: metadata.uid,
    challenge: spec.challengeRef.name,
    owner: spec.ownerId,
    phase: status.phase ?? "Pending",
    ending: isEnding(instance),
    ...given,
  };
}
