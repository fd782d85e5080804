import type { Result } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import type { Surroundings } from "./gather.ts";
import { unpublish } from "./publish.ts";
import type { Seen } from "./seen.ts";
import * as statuses from "./status/status.ts";
import { TargetTrouble } from "./trouble.ts";
import { writeStatus } from "./write.ts";

/** Until somebody has given us the right to Secrets, which nobody may tell us of. */
const tryAgainMs = 60_000;

/** Takes the published Secret away, and then says `status`; a result where we may not, which is said then. */
export async function withdraw(
  status: KubeconfigRequestStatus,
  seen: Seen,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { request } = seen;
  try {
    await unpublish(around.client, request, signal);
  } catch (error) {
    if (!(error instanceof TargetTrouble)) throw error;
    await writeStatus(request, statuses.copyStays(seen, status), around, signal);
    return { requeueAfterMs: tryAgainMs };
  }
  await writeStatus(request, status, around, signal);
  return undefined;
}
