/** What was published, and is not told of yet. */
import { formatTime } from "@berg/apimachinery";
import type { KubeconfigRequestStatus } from "@berg/resources";
import type { Former } from "../elsewhere.ts";
import type { Request } from "../names.ts";
import { afterExpiryMs, longestLifeMs } from "../schedule.ts";
import { newestEpochOf } from "../seen.ts";
import type { Issue } from "./issued.ts";
import { withinLimit } from "./retiring.ts";

/** Undefined where the status tells of it, or where it has expired. */
export function untold({ status = {} }: Request, issue: Issue, now: number): Former | undefined {
  const { epoch, life, server, serviceAccountUid, certificateAuthorityHash } = issue;
  // Whoever may write the Secret may have changed what it says.
  const expiresAt = Math.min(life.expiresAt, now + longestLifeMs);
  if (epoch <= newestEpochOf(status) || expiresAt <= now) return undefined;
  return {
    epoch,
    until: formatTime(expiresAt + afterExpiryMs),
    expirationTimestamp: formatTime(expiresAt),
    server,
    serviceAccountUid,
    certificateAuthorityHash,
  };
}

export function told({ status = {} }: Request, former: Former): KubeconfigRequestStatus {
  const { retiring = [], serviceAccountUid: uid } = status;
  const isKept = (each: Former) => each === former || each.serviceAccountUid !== uid;
  return { ...status, retiring: withinLimit([...retiring, former], isKept) };
}
