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
  /** When it was seen, by whichever clock the requests are. */
  at: number;
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

/** A request that has an account or has set it aside. It is on another server, so that only times can be compared. */
export interface RequestLife {
  account: string;
  from: number;
  until: number | undefined;
}

export interface History {
  /** In their order. */
  moments: readonly Moment[];
  shoots: readonly ShootLife[];
  requests: readonly RequestLife[];
  /** Tenants that may have more than one account, and how many clusters each must have before. */
  limits: Readonly<Record<string, number>>;
}

/** By how much what was written first may be seen later, as two watches bring it. */
const skewMs = 250;

const ours = ["tenantName", "dirty"];

/** Every breach, in words; empty where all held. */
export function breachesOf(history: History): string[] {
  const now = new Map<string, Account>();
  return history.moments.flatMap((moment) => {
    const { name, before, after, version } = moment;
    if (after) now.set(name, after);
    else now.delete(name);
    const found = before && after ? unlawful(before, after, shootsOn(name, moment, history) > 0) : [];
    return [...found, ...tooMany([...now.values()], moment, history)].map((what) => `${name} at ${version}: ${what}`);
  });
}

function shootsOn(account: string, { version }: Moment, { shoots }: History): number {
  return shoots.filter(
    ({ accounts, from, until }) =>
      accounts.includes(account) && from < version && (until === undefined || until > version),
  ).length;
}

function requestsOn(account: string, { at }: Moment, { requests }: History): number {
  return requests.filter(
    (one) =>
      one.account === account && one.from <= at + skewMs && (one.until === undefined || one.until >= at - skewMs),
  ).length;
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

/** Claims of ours that stand, of one tenant and type: one, or where it may have more, another when no other has room. */
function tooMany(accounts: readonly Account[], moment: Moment, history: History): string[] {
  const keyOf = (account: Account) => `${tenantOf(account)}/${labelOf(account, "hyperscalerType")}`;
  return [...Map.groupBy(accounts.filter(isStanding), keyOf)].flatMap(([key, all]) => {
    const names = all.map(({ metadata }) => metadata.name);
    const limit = history.limits[key.split("/")[0] ?? ""];
    if (limit === undefined) return all.length > 1 ? [`${key} has ${names.join(" and ")}`] : [];
    const isNew = names.includes(moment.name) && !(moment.before && isStanding(moment.before));
    if (!isNew) return [];
    // Who is there with a Shoot and a request counts twice here: nothing lawful is a breach for it.
    const usersOf = (name: string) => shootsOn(name, moment, history) + requestsOn(name, moment, history);
    return names
      .filter((name) => name !== moment.name && usersOf(name) < limit)
      .map((name) => `${key} has one more, though ${name} has ${usersOf(name)} of ${limit}`);
  });
}

function isStanding(account: Account): boolean {
  const isClaimed = tenantOf(account) !== undefined && claimedBy(account) !== undefined;
  return isClaimed && pendingOf(account) === undefined && !isDirty(account);
}

function foreign({ metadata }: Account): string {
  const entries = Object.entries(metadata.labels ?? {}).filter(([name]) => !ours.includes(name));
  return JSON.stringify(entries.sort());
}
