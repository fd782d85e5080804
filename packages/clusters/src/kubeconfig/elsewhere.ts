/**
 * A Cluster may lead to another cluster since a kubeconfig was issued: somebody has changed the Secret of one that was
 * brought along, or has made a Cluster of the same name anew. What was issued works where it was issued, and cannot be taken
 * away here. Pure.
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
}

/** What was published leads to another address, or trusts other keys. */
export function isElsewhere(
  { server, certificateAuthority }: Place,
  issued: Pick<KubeconfigRequestStatus, "server" | "certificateAuthorityHash"> = {},
): boolean {
  return issued.server !== server || issued.certificateAuthorityHash !== shortHash(certificateAuthority);
}

/** `accountUid`: of the request's service account there. A Shoot has other keys from time to time, and is still itself. */
export function reachedBy({ request }: Seen, target: Place, accountUid: string | undefined): Reached {
  const { server, certificateAuthority } = target;
  const known = request.status?.serviceAccountUid;
  const isKnown = known === undefined || !isElsewhere(target, request.status);
  const is = isKnown ? "same" : known === accountUid ? "moved" : "other";
  const accounts = [accountUid, is === "other" ? undefined : known].filter((uid) => uid !== undefined);
  return { server, certificateAuthority, is, accounts };
}

/**
 * Whether one that was replaced is in another cluster than the one that was reached. The address alone does not tell: two
 * may be behind it, one after the other.
 */
export function isLeft(former: Former, reached: Reached): boolean {
  const { serviceAccountUid: uid } = former;
  if (uid === undefined) return reached.is === "other";
  return !reached.accounts.includes(uid) && isElsewhere(reached, former);
}

/** Where those work that cannot be taken away. */
export function serversOf({ server, serviceAccountUid, retiring = [] }: KubeconfigRequestStatus): string[] {
  const servers = [...(serviceAccountUid === undefined ? [] : [server]), ...retiring.map((each) => each.server)];
  return [...new Set(servers.flatMap((each) => each ?? []))];
}
