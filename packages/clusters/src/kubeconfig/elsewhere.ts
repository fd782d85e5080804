/**
 * The Secret of a cluster that somebody brought along may lead to another one since a kubeconfig was issued. What was
 * issued works where it was issued, and cannot be taken away here. Pure.
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
}

/** What was published leads to another address, or trusts other keys. */
export function isElsewhere({ server, certificateAuthority }: Place, status: KubeconfigRequestStatus = {}): boolean {
  return status.server !== server || status.certificateAuthorityHash !== shortHash(certificateAuthority);
}

/** `accountUid`: of the request's service account there, which no two clusters share. A Shoot is itself at any address. */
export function reachedBy({ request, cluster }: Seen, target: Place, accountUid: string | undefined): Reached {
  const { server, certificateAuthority } = target;
  const known = request.status?.serviceAccountUid;
  const isKnown = !cluster?.spec.byoc || known === undefined || !isElsewhere(target, request.status);
  return { server, certificateAuthority, is: isKnown ? "same" : known === accountUid ? "moved" : "other" };
}

/** Whether one that was replaced is in another cluster than the one that was reached. */
export function isLeft({ server }: Former, reached: Reached): boolean {
  return server === undefined ? reached.is === "other" : server !== reached.server;
}

/** Where those work that cannot be taken away. */
export function serversOf({ server, serviceAccountUid, retiring = [] }: KubeconfigRequestStatus): string[] {
  const servers = [...(serviceAccountUid === undefined ? [] : [server]), ...retiring.map((each) => each.server)];
  return [...new Set(servers.flatMap((each) => each ?? []))];
}
