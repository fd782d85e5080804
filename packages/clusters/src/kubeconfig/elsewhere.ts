/**
 * A Cluster may lead to another cluster since a kubeconfig was issued: somebody has changed the Secret of one that was
 * brought along, or has made a Cluster of the same name anew, or an address leads to another one since, which may have the
 * same keys. What was issued works where it was issued, and cannot be taken away here. Pure.
 *
 * What a cluster is known by is the UID of the request's service account. Where that is gone, somebody has deleted it, or a
 * revocation that was interrupted has: then the rest of the request's objects is there still, which go after it. Where
 * nothing is there, nobody can tell, and what was issued counts until it expires: also where somebody has deleted all of it
 * by hand. A cluster that was restored from a copy of another has the same UIDs, and is taken for it.
 */
import type { KubeconfigRequestStatus } from "@berg/resources";
import type { Target } from "../target/target.ts";
import { shortHash } from "./names.ts";
import type { Seen } from "./seen.ts";

type Place = Pick<Target, "server" | "certificateAuthority">;
export type Former = NonNullable<KubeconfigRequestStatus["retiring"]>[number];

/** A target that was reached, beside the one that the newest kubeconfig is for. */
export interface Reached extends Place {
  /** `moved`: the same cluster, by another address or with other keys. */
  is: "same" | "moved" | "other";
  /** UIDs of the request's service account there, which no two clusters share. */
  accounts: readonly string[];
  /** There was one, as the rest of the request's objects tells. */
  isAccountGone: boolean;
}

/** What a target has of a request. */
export interface Found {
  /** Of its service account. */
  accountUid: string | undefined;
  /** Anything but that. */
  hasMore: boolean;
}

/** What was published leads to another address, or trusts other keys. */
export function isElsewhere(
  { server, certificateAuthority }: Place,
  issued: Pick<KubeconfigRequestStatus, "server" | "certificateAuthorityHash"> = {},
): boolean {
  return issued.server !== server || issued.certificateAuthorityHash !== shortHash(certificateAuthority);
}

/** A Shoot has other keys from time to time, and is still itself. */
export function reachedBy({ request }: Seen, target: Place, { accountUid, hasMore }: Found): Reached {
  const { server, certificateAuthority } = target;
  const known = request.status?.serviceAccountUid;
  const isAccountGone = accountUid === undefined && hasMore;
  const is = known === undefined ? "same" : placeOf(known);
  const accounts = [accountUid, is === "other" ? undefined : known].filter((uid) => uid !== undefined);
  return { server, certificateAuthority, is, accounts, isAccountGone };

  function placeOf(uid: string): Reached["is"] {
    const isMoved = isElsewhere(target, request.status);
    if (uid === accountUid) return isMoved ? "moved" : "same";
    return isAccountGone && !isMoved ? "same" : "other";
  }
}

/**
 * Whether one that was replaced is in another cluster than the one that was reached. The address alone does not tell: two
 * may be behind it, one after the other.
 */
export function isLeft(former: Former, reached: Reached): boolean {
  const { serviceAccountUid: uid } = former;
  if (uid === undefined) return reached.is === "other";
  return !reached.accounts.includes(uid) && (isElsewhere(reached, former) || !reached.isAccountGone);
}

/** Where those work that cannot be taken away. */
export function serversOf({ server, serviceAccountUid, retiring = [] }: KubeconfigRequestStatus): string[] {
  const servers = [...(serviceAccountUid === undefined ? [] : [server]), ...retiring.map((each) => each.server)];
  return [...new Set(servers.flatMap((each) => each ?? []))];
}
