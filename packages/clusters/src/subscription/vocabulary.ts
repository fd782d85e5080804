/** What is said about SubscriptionRequests, and the names of what is counted. */

/** Types of conditions. */
export const conditions = {
  selectorValid: "SelectorValid",
  bound: "Bound",
  poolAvailable: "PoolAvailable",
  released: "Released",
} as const;

export const reasons = {
  selectorValid: "Valid",
  invalidSelector: "InvalidSelector",
  available: "Available",
  exhausted: "PoolExhausted",
  waiting: "Waiting",
  /** Chosen, and not given out yet: it may still turn out to be on its way back into the pool. */
  reserved: "Reserved",
  bound: "Bound",
  boundToDirty: "BoundToDirtyAccount",
  boundToInternal: "BoundToInternalAccount",
  bindingLost: "BindingLost",
  shootStillThere: "ShootStillThere",
  /** From here on nobody else takes the account; whoever had it before keeps it from being given back. */
  givingBack: "GivingBack",
  markedDirty: "MarkedDirty",
  stillUsed: "StillUsed",
  notOurs: "NotOurs",
  nothingToRelease: "NothingToRelease",
} as const;

export const texts = {
  selectorValid: (type: string) => `Accounts of the type ${type} are asked for`,
  available: "The pool has an account",
  exhausted: (what: string) =>
    `The pool has no free account: ${what}. It goes on by itself when one is added, or cleaned and given back`,
  waiting: "An account is looked for",
  reserved: (account: string) =>
    `The account ${account} is set aside, and given out as soon as nobody is giving it back`,
  bound: (account: string) => `The account ${account} is bound`,
  boundToDirty: (account: string) =>
    `The account ${account} is bound, and was marked dirty since: it will be cleaned as soon as no Shoot uses it. Take the label "dirty" off it`,
  boundToInternal: (account: string) => `The account ${account} is bound, and is marked internal`,
  bindingLost: (account: string, why: string) =>
    `The account ${account} is lost: ${why}. Another one is not taken, as clusters may run on it: put it right, or delete this request and create it again`,
  lostGone: "its binding is not there any more",
  lostAnother: "another binding has its name by now",
  lostTenant: (tenant: string) => `it is no longer labelled with tenantName=${tenant}`,
  lostShared: "it is no longer labelled with shared=true",
  shootStillThere: (shoot: string) =>
    `The account is kept until its cluster is gone: the Shoot ${shoot} is still there`,
  givingBack: (account: string) => `The account ${account} is about to be given back`,
  markedDirty: (account: string) => `Nothing uses the account ${account} any more: it is marked dirty, to be cleaned`,
  usedByRequest: (account: string) => `The account ${account} stays the tenant's: another request has it`,
  usedByShoot: (account: string) => `The account ${account} stays the tenant's: a Shoot uses it`,
  notOurs: (account: string, why: string) => `The account ${account} is left as it is: ${why}`,
  isShared: "it is shared",
  isInternal: "it is internal",
  isDirty: "it is dirty already",
  claimedByOthers: "no request here has claimed it, and whoever gave it to the tenant gives it back",
  nothingToRelease: "No account was bound",
} as const;

/** Reasons of events are those of the conditions. These are no news: something else follows at once. */
export const untold: ReadonlySet<string> = new Set([
  reasons.waiting,
  reasons.reserved,
  reasons.givingBack,
  reasons.nothingToRelease,
]);

export const warnings: ReadonlySet<string> = new Set([
  reasons.invalidSelector,
  reasons.exhausted,
  reasons.boundToDirty,
  reasons.boundToInternal,
  reasons.bindingLost,
]);

export const fieldManager = "berg-subscriptions";

export const metricNames = {
  available: {
    name: "available_credentials_bindings",
    help: "Accounts of the pool that a tenant could be given, by type",
  },
  accounts: { name: "credentials_bindings", help: "Accounts of the pool by type and state" },
  requests: { name: "subscription_requests", help: "SubscriptionRequests by phase" },
} as const;
