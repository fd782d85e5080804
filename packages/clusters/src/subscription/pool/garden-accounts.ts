/**
 * The accounts as Gardener has them now, and every change that is made to one. A change names the version that was seen,
 * so that it fails where anybody has changed the account since, and touches nothing but our own labels and annotations.
 */
import { isNotFound } from "@berg/apimachinery";
import { type Clock, errorText, timestamp } from "@berg/kube";
import type { Binding, Garden } from "../../gardener/garden.ts";
import { type Shoot, Shoots } from "../../gardener/kinds.ts";
import { annotations, pool } from "../../vocabulary.ts";
import { fieldManager } from "../vocabulary.ts";
import { type Account, accountsOf, bindingsOf, claimedBy, poolSelector } from "./account.ts";
import type { Claimer } from "./pick.ts";
import type { Wanted } from "./wanted.ts";

/** Gardener, and not our own API server, has refused or is away: `cause` says which. */
export class GardenFailed extends Error {
  constructor(cause: unknown) {
    super(`Gardener did not do it: ${errorText(cause)}`, { cause });
    this.name = "GardenFailed";
  }
}

type Marks = { labels?: Record<string, string | null>; annotations?: Record<string, string | null> };

export class GardenAccounts {
  readonly #garden: Garden;
  readonly #clock: Clock;

  constructor(garden: Garden, clock: Clock) {
    this.#garden = garden;
    this.#clock = clock;
  }

  list(wanted: Wanted, signal: AbortSignal): Promise<Account[]> {
    const { client, namespace, poolKind } = this.#garden;
    const selection = { namespace, labelSelector: poolSelector(wanted), signal };
    return asked(async () => (await client.listAll<Binding>(bindingsOf(poolKind), selection)).items);
  }

  get(name: string, signal: AbortSignal): Promise<Account | undefined> {
    const { client, namespace, poolKind } = this.#garden;
    return asked(async () => {
      try {
        return await client.get<Binding>(bindingsOf(poolKind), namespace, name, { signal });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    });
  }

  /** The names of the Shoots that run on it. All Shoots of the project are asked for: only where something hangs on it. */
  async shootsOn(name: string, signal: AbortSignal): Promise<Shoot[]> {
    const { client, namespace } = this.#garden;
    const { items } = await asked(() => client.listAll(Shoots, { namespace, signal }));
    return items.filter((shoot) => accountsOf(shoot).includes(name));
  }

  /** For one that nobody has, and for one that a process left behind between its two writes. */
  claim(account: Account, { tenant, request, process }: Claimer, signal: AbortSignal): Promise<void> {
    return this.#mark(account, signal, {
      labels: { [pool.tenantName]: tenant },
      annotations: {
        [annotations.claimedBy]: request,
        [annotations.claimedAt]: timestamp(this.#clock),
        [annotations.claimPending]: process,
        [annotations.claimLeft]: null,
      },
    });
  }

  confirm(account: Account, signal: AbortSignal): Promise<void> {
    return this.#mark(account, signal, { annotations: { [annotations.claimPending]: null } });
  }

  /** To another request that has it: who claimed it must be there for as long as it is ours to give back. */
  passOn(account: Account, request: string, signal: AbortSignal): Promise<void> {
    return this.#mark(account, signal, {
      annotations: { [annotations.claimedBy]: request, [annotations.claimLeft]: null },
    });
  }

  /** To whichever request has it next. */
  leave(account: Account, signal: AbortSignal): Promise<void> {
    return this.#mark(account, signal, { annotations: { [annotations.claimLeft]: claimedBy(account) ?? null } });
  }

  /** Nobody's again. Only for one whose claim is pending and that no Shoot uses. */
  undo(account: Account, signal: AbortSignal): Promise<void> {
    return this.#mark(account, signal, {
      labels: { [pool.tenantName]: null },
      annotations: {
        [annotations.claimedBy]: null,
        [annotations.claimedAt]: null,
        [annotations.claimPending]: null,
      },
    });
  }

  /** The tenant stays on it, for whoever cleans it. */
  markDirty(account: Account, signal: AbortSignal): Promise<void> {
    return this.#mark(account, signal, { labels: { [pool.dirty]: "true" } });
  }

  async #mark({ metadata: { name, resourceVersion } }: Account, signal: AbortSignal, marks: Marks): Promise<void> {
    const { client, namespace, poolKind } = this.#garden;
    const patch = { type: "merge", body: { metadata: { resourceVersion, ...marks } } } as const;
    await asked(() => client.patch<Binding>(bindingsOf(poolKind), namespace, name, patch, { fieldManager, signal }));
  }
}

async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new GardenFailed(error);
  }
}
