/** The laws of the pool, asked of all that ever became of its accounts. Pure. */
import {
  type Account,
  claimedBy,
  isDirty,
  isInternal,
  isShared,
  labelOf,
  pendingOf,
  tenantOf,
} from "../pool/account.ts";

/** One change of an account. */
export interface Moment {
  version: bigint;
  name: string;
  before: Account | undefined;
  after: Account | undefined;
}

/** A Shoot, from one version until another. */
export interface ShootLife {
  accounts: readonly string[];
  from: bigint;
  until: bigint | undefined;
}

export interface History {
  /** In their order. */
  moments: readonly Moment[];
  shoots: readonly ShootLife[];
  /** Tenants that may have more than one account. */
  many: readonly string[];
}

const ours = ["tenantName", "dirty"];

/** Every breach, in words; empty where all held. */
export function breachesOf({ moments, shoots, many }: History): string[] {
  const now = new Map<string, Account>();
  return moments.flatMap(({ name, before, after, version }) => {
    if (after) now.set(name, after);
    else now.delete(name);
    const isUsed = shoots.some(
      ({ accounts, from, until }) =>
        accounts.includes(name) && from < version && (until === undefined || until > version),
    );
    const found = before && after ? unlawful(before, after, isUsed) : [];
    return [...found, ...twice([...now.values()], many)].map((what) => `${name} at ${version}: ${what}`);
  });
}

function unlawful(before: Account, after: Account, isUsed: boolean): string[] {
  const found: string[] = [];
  const [from, to] = [tenantOf(before), tenantOf(after)];
  if (from !== to) {
    if (from !== undefined && to !== undefined) found.push(`two tenants: ${from}, then ${to}`);
    if (from === undefined && (isShared(before) || isInternal(before) || isDirty(before)))
      found.push("claimed though it is shared, internal or dirty");
    // Whoever cleans a dirty one makes it nobody's again.
    if (to === undefined && pendingOf(before) === undefined && !isDirty(before)) found.push("taken from its tenant");
  }
  if (isDirty(after) && !isDirty(before)) {
    if (isShared(before) || isInternal(before)) found.push("marked dirty though it is shared or internal");
    if (from === undefined) found.push("marked dirty though it is nobody's");
    if (claimedBy(before) === undefined) found.push("marked dirty though others claimed it");
    if (isUsed) found.push("marked dirty though a Shoot uses it");
  }
  if (foreign(before) !== foreign(after)) found.push(`others' labels changed: ${foreign(before)} → ${foreign(after)}`);
  return found;
}

/** Claims of ours that stand, of one tenant and type. */
function twice(accounts: readonly Account[], many: readonly string[]): string[] {
  const isStanding = (account: Account) => tenantOf(account) !== undefined && pendingOf(account) === undefined;
  const standing = accounts.filter(
    (account) => claimedBy(account) !== undefined && isStanding(account) && !isDirty(account),
  );
  const keyOf = (account: Account) => `${tenantOf(account)}/${labelOf(account, "hyperscalerType")}`;
  return [...Map.groupBy(standing, keyOf)].flatMap(([key, all]) =>
    all.length > 1 && !many.includes(key.split("/")[0] ?? "")
      ? [`${key} has ${all.map(({ metadata }) => metadata.name).join(" and ")}`]
      : [],
  );
}

function foreign({ metadata }: Account): string {
  const entries = Object.entries(metadata.labels ?? {}).filter(([name]) => !ours.includes(name));
  return JSON.stringify(entries.sort());
}
