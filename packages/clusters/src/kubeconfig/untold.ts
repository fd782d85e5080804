/**
 * What was published, and the status does not tell of: the write that was to follow was refused, or never came. It is
 * written down before its Secret goes, by which alone it is known: nobody is to be told that it is revoked while it works.
 */
import { isLeft, type Reached } from "./elsewhere.ts";
import type { Surroundings } from "./gather.ts";
import type { Request } from "./names.ts";
import { findPublished, issueIn } from "./publish.ts";
import { isUntouched } from "./seen.ts";
import type { Issue } from "./status/issued.ts";
import * as statuses from "./status/status.ts";
import { writeStatus } from "./write.ts";

/** The request as it is then: the same object where there is nothing to tell. */
export async function tellUntold(
  request: Request,
  around: Surroundings,
  signal: AbortSignal,
  reached?: Reached,
): Promise<Request> {
  if (isUntouched(request)) return request;
  const secret = await findPublished(around.client, request, signal);
  return tellIssue(request, secret && issueIn(request, secret), around, signal, reached);
}

/** `reached`: what is there is cut off there, and needs not be told of. */
export async function tellIssue(
  request: Request,
  issue: Issue | undefined,
  around: Surroundings,
  signal: AbortSignal,
  reached?: Reached,
): Promise<Request> {
  const former = issue && statuses.untold(request, issue, around.clock.now());
  if (!former || (reached && !isLeft(former, reached))) return request;
  return writeStatus(request, statuses.told(request, former), around, signal);
}
