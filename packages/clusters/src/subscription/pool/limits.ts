/** How many clusters one account of a tenant may have, where a tenant may have several accounts. Pure. */
import type { Wanted } from "./wanted.ts";

export interface MultiAccount {
  /** Who may have several; `*` is everybody. */
  tenants: readonly string[];
  /** By provider, and `default` for all others. */
  limits: Readonly<Record<string, number>> & { readonly default: number };
}

export const defaultMultiAccount: MultiAccount = {
  tenants: [],
  limits: { default: 3, aws: 180, gcp: 135, openstack: 100, alicloud: 100 },
};

/** Undefined where a tenant has one account, however many clusters it runs there. */
export function limitOf({ tenants, limits }: MultiAccount, { provider, tenant }: Wanted): number | undefined {
  if (tenant === undefined || !(tenants.includes("*") || tenants.includes(tenant))) return undefined;
  return limits[provider] ?? limits.default;
}
