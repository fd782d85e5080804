/**
 * Somebody else who claims accounts from the same pool, by the same labels and the same rules: takes the first that is
 * free, writes its tenant on it, and does not mind losing.
 */
import { isConflict, isNotFound } from "@berg/apimachinery";
import { abortable, type Clock, type Random, sleep } from "@berg/kube";
import type { TestGarden } from "../garden.ts";
import { CredentialsBindings } from "../kinds.ts";

export interface ClaimerOptions {
  hyperscalerType: string;
  /** One account each. */
  tenants: readonly string[];
  /** How long it rests between two claims, at most. */
  pauseMs: number;
  clock: Clock;
  random: Random;
}

export interface Claimed {
  tenant: string;
  account: string;
}

/** Resolves when each tenant has an account or none is free. */
export async function claimFromOutside(
  garden: TestGarden,
  { hyperscalerType, tenants, pauseMs, clock, random }: ClaimerOptions,
  signal?: AbortSignal,
): Promise<Claimed[]> {
  const claimed: Claimed[] = [];
  for (const tenant of tenants) {
    const account = await abortable(claimOne(garden, hyperscalerType, tenant), signal);
    if (account === undefined) break;
    claimed.push({ tenant, account });
    await sleep(clock, random() * pauseMs, signal);
  }
  return claimed;
}

async function claimOne(garden: TestGarden, type: string, tenant: string): Promise<string | undefined> {
  const { client, namespace } = garden;
  const labelSelector = `hyperscalerType=${type},shared!=true,!dirty,!tenantName,!internal`;
  for (;;) {
    const free = (await client.listAll(CredentialsBindings, { namespace, labelSelector })).items;
    const first = free.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0];
    if (!first) return undefined;
    const labels = { ...first.metadata.labels, tenantName: tenant };
    try {
      await client.update(CredentialsBindings, { ...first, metadata: { ...first.metadata, labels } });
      return first.metadata.name;
    } catch (error) {
      // Somebody was faster.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }
}
