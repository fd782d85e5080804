/**
 * A pool that takes one call after the other, in whatever order a test chooses, and notes every change. It knows of
 * accounts what Gardener does: a change that names an old version is refused.
 */

import { StatusError } from "@berg/apimachinery";
import type { Shoot } from "../../gardener/kinds.ts";
import { annotations, pool } from "../../vocabulary.ts";
import { type Account, pendingOf, tenantOf } from "../pool/account.ts";
import { GardenFailed } from "../pool/garden-accounts.ts";
import type { Claimer } from "../pool/pick.ts";

export class FakePool {
  readonly #accounts = new Map<string, Account>();
  readonly #turn: <T>(call: () => T) => Promise<T>;
  /** What every account was, after each change of any. */
  readonly history: Account[][] = [];
  #version = 1;

  constructor(accounts: readonly Account[], turn: <T>(call: () => T) => Promise<T>) {
    this.#turn = turn;
    for (const account of accounts) this.#accounts.set(account.metadata.name, account);
    this.#note();
  }

  get all(): Account[] {
    return [...this.#accounts.values()];
  }

  list = () => this.#turn(() => structuredClone(this.all));
  shootsOn = () => this.#turn((): Shoot[] => []);

  claim = (account: Account, { tenant, request, process }: Claimer) =>
    this.#turn(() =>
      this.#change(
        account,
        { [pool.tenantName]: tenant },
        {
          [annotations.claimedBy]: request,
          [annotations.claimedAt]: "2026-01-01T00:00:00Z",
          [annotations.claimPending]: process,
        },
      ),
    );

  confirm = (account: Account) => this.#turn(() => this.#change(account, {}, { [annotations.claimPending]: null }));

  undo = (account: Account) =>
    this.#turn(() =>
      this.#change(
        account,
        { [pool.tenantName]: null },
        {
          [annotations.claimedBy]: null,
          [annotations.claimedAt]: null,
          [annotations.claimPending]: null,
        },
      ),
    );

  /** By somebody who does not know of pending claims. */
  claimOutside = (account: Account, tenant: string) =>
    this.#turn(() => this.#change(account, { [pool.tenantName]: tenant }, {}));

  /** Whoever cleans accounts: it is nobody's again. */
  clean = (name: string) =>
    this.#turn(() => {
      const account = this.#accounts.get(name) as Account;
      this.#change(account, { [pool.tenantName]: null, [pool.dirty]: null }, {});
    });

  #change(seen: Account, labels: Record<string, string | null>, notes: Record<string, string | null>): void {
    const account = this.#accounts.get(seen.metadata.name);
    if (!account || account.metadata.resourceVersion !== seen.metadata.resourceVersion)
      throw new GardenFailed(new StatusError({ apiVersion: "v1", kind: "Status", status: "Failure", code: 409 }));
    const { metadata } = account;
    const changed = {
      ...account,
      metadata: {
        ...metadata,
        resourceVersion: String(++this.#version),
        labels: merged(metadata.labels, labels),
        annotations: merged(metadata.annotations, notes),
      },
    };
    this.#accounts.set(metadata.name, changed);
    this.#note();
  }

  #note(): void {
    this.history.push(this.all);
  }
}

/** Those of a tenant that may be used. */
export function standing(accounts: readonly Account[], tenant: string): string[] {
  return accounts
    .filter((account) => tenantOf(account) === tenant && pendingOf(account) === undefined)
    .map(({ metadata }) => metadata.name);
}

function merged(old: Record<string, string> = {}, changes: Record<string, string | null>): Record<string, string> {
  const entries = Object.entries({ ...old, ...changes });
  return Object.fromEntries(entries.filter((pair): pair is [string, string] => pair[1] !== null));
}
