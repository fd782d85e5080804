/** What an account of the pool says about itself: its labels, who has claimed it, where its credentials are. Pure. */
import { apiVersionOf, type ResourceType, type Stored } from "@berg/apimachinery";
import type { SubscriptionRequestStatus } from "@berg/resources";
import type { Binding, PoolKind } from "../../gardener/garden.ts";
import { CredentialsBindings, SecretBindings, type Shoot } from "../../gardener/kinds.ts";
import { annotations, pool } from "../../vocabulary.ts";
import { fieldManager } from "../vocabulary.ts";
import type { Wanted } from "./wanted.ts";

export type Account = Stored<Binding>;

export const labelOf = ({ metadata }: Account, label: keyof typeof pool) => metadata.labels?.[pool[label]];
const has = (account: Account, label: keyof typeof pool) => labelOf(account, label) !== undefined;

export const isShared = (account: Account) => labelOf(account, "shared") === "true";
/** Whatever the label says: whoever else claims accounts asks only whether it is there. */
export const isDirty = (account: Account) => has(account, "dirty");
export const isInternal = (account: Account) => has(account, "internal");
export const tenantOf = (account: Account) => labelOf(account, "tenantName");

/** The request that claimed it: its UID. Undefined where others did. */
export const claimedBy = ({ metadata }: Account) => metadata.annotations?.[annotations.claimedBy];
export const claimedAt = ({ metadata }: Account) => metadata.annotations?.[annotations.claimedAt];
/** The process whose claim does not stand yet: nobody uses it until it does. */
export const pendingOf = ({ metadata }: Account) => metadata.annotations?.[annotations.claimPending];

/**
 * Whether the request that claimed it goes or is gone while a Shoot uses it: the next one takes the claim. It has to be
 * said, for a UID that is merely gone may be one of another system. It holds for as long as the tenant on it is by our
 * hand: others who clean it and give it away again leave our annotations as they are. Of a copy it cannot be told.
 */
export function isClaimLeft(account: Account): boolean {
  return saysClaimLeft(account) && isTenantByUs(account);
}

/** As far as a copy tells. */
export function saysClaimLeft(account: Account): boolean {
  const claimer = claimedBy(account);
  return claimer !== undefined && account.metadata.annotations?.[annotations.claimLeft] === claimer;
}

function isTenantByUs({ metadata }: Account): boolean {
  return (metadata.managedFields ?? []).some(({ manager, fieldsV1 }) => {
    const fields = fieldsV1 as { "f:metadata"?: { "f:labels"?: Record<string, object> } } | undefined;
    return manager === fieldManager && fields?.["f:metadata"]?.["f:labels"]?.[`f:${pool.tenantName}`] !== undefined;
  });
}

/** What to ask the server for: all that could do, whoever has them. */
export function poolSelector({ hyperscalerType, euAccess, tenant }: Wanted): string {
  const access = euAccess ? `${pool.euAccess}=true` : `!${pool.euAccess}`;
  return `${pool.hyperscalerType}=${hyperscalerType},${access},${pool.shared}${tenant === undefined ? "=" : "!="}true`;
}

/** Name of the index of copies of them. */
export const byType = "hyperscaler-type";

export function typesOf({ metadata }: Binding): string[] {
  const type = metadata.labels?.[pool.hyperscalerType];
  return type === undefined ? [] : [type];
}

/** The same as the selector, for accounts from a copy. */
export function isWanted(account: Account, { hyperscalerType, euAccess, tenant }: Wanted): boolean {
  if (labelOf(account, "hyperscalerType") !== hyperscalerType) return false;
  const access = labelOf(account, "euAccess");
  return (euAccess ? access === "true" : access === undefined) && isShared(account) === (tenant === undefined);
}

/** Could be given to any tenant. */
export const isFree = (account: Account) =>
  !isShared(account) && !isDirty(account) && !isInternal(account) && !has(account, "tenantName");

export function bindingsOf(kind: PoolKind): ResourceType<Binding> {
  return kind === "SecretBinding" ? SecretBindings : CredentialsBindings;
}

export type BindingReference = NonNullable<SubscriptionRequestStatus["binding"]>;

export function referenceTo({ metadata }: Account, kind: PoolKind): BindingReference {
  return { apiVersion: apiVersionOf(bindingsOf(kind)), kind, name: metadata.name, uid: metadata.uid };
}

/** Nothing where the credentials are no Secret. */
export function secretOf(
  account: Account,
): Pick<SubscriptionRequestStatus, "gardenerSecretName" | "gardenerSecretNamespace"> {
  const reference = "credentialsRef" in account ? account.credentialsRef : { kind: "Secret", ...account.secretRef };
  if (!reference.kind.endsWith("Secret")) return {};
  const namespace = reference.namespace ?? account.metadata.namespace;
  return { gardenerSecretName: reference.name, ...(namespace && { gardenerSecretNamespace: namespace }) };
}

/** The names of the accounts that it runs on, of whichever kind they are. */
export function accountsOf({ spec }: Shoot): string[] {
  return [spec.credentialsBindingName, spec.secretBindingName].filter((name) => name !== undefined);
}
