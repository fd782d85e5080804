/** Makes access as it should be, or takes it away: both ends of it, in the target and beside the request. */
import { kubeconfigFor } from "@berg/kube";
import type { Target } from "../target/target.ts";
import type { Cause } from "./decide.ts";
import type { Surroundings } from "./gather.ts";
import { type Request, shortHash } from "./names.ts";
import { issueIn, publish, readPublished, unpublish } from "./publish.ts";
import { clusterOf, isRotationAsked, type Seen } from "./seen.ts";
import { type Work, work } from "./session.ts";
import * as statuses from "./status.ts";
import { cutOff, removeRoles } from "./target/cut-off.ts";
import type { Granted } from "./target/grant.ts";
import { holdingsOf } from "./target/holdings.ts";
import { TargetTrouble } from "./trouble.ts";
import { atTarget, type Visit } from "./visit.ts";
import { conditionTypes, reasons, texts } from "./vocabulary.ts";
import { writeStatus } from "./write.ts";

/** Rights as they should be, and a kubeconfig where one is needed: published before anything else is done. */
export async function bring(
  visit: Visit,
  seen: Seen,
  cause: Cause | undefined,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock } = around;
  const { request } = seen;
  const { target } = visit;
  const isSecret = request.spec.output === "Secret";
  const secret = isSecret ? await readPublished(client, request, signal) : undefined;
  const published = secret && issueIn(secret);
  const isNeeded = cause !== undefined || isElsewhere(target, request);
  const done = await atTarget(() => work(target, seen, isNeeded, published, { clock, signal: visit.signal }));
  // It took its time; what is written down counts from here.
  const now = { ...seen, now: clock.now() };
  const why = cause ?? "changed";
  if (done.adopted) {
    const answersRotation = done.adopted.answersRotation && isRotationAsked(seen);
    const status = statuses.issued(now, done.granted, why, { ...done.adopted, answersRotation }, target, undefined);
    await writeStatus(request, status, around, signal);
  } else if (done.minted) {
    await hand(done.minted, done.granted);
  } else {
    await writeStatus(request, statuses.granted(now, done.granted), around, signal);
  }
  if (done.granted.missingNamespace !== undefined) throw namespaceMissing(done.granted.missingNamespace);

  async function hand({ token, epoch }: NonNullable<Work["minted"]>, granted: Granted): Promise<void> {
    const { life, credentialHash, anchorUid } = token;
    const serviceAccountUid = granted.account.metadata.uid;
    const answersRotation = isRotationAsked(seen);
    const issue = { epoch, life, credentialHash, anchorUid, serviceAccountUid, answersRotation };
    const text = kubeconfigText(target, request, token.text);
    if (isSecret) await publish(client, request, issue, text, secret, signal);
    const status = statuses.issued(now, granted, why, issue, target, isSecret ? undefined : text);
    await writeStatus(request, status, around, signal);
    around.metrics.issued(why);
    around.copies.seen(request);
    // From the time when it was put there; each time, since a crash may have left it.
    if (!isSecret) await unpublish(client, request, signal);
  }
}

/** What was published leads to another address, or trusts other keys. */
function isElsewhere({ server, certificateAuthority }: Target, { status = {} }: Request): boolean {
  return status.server !== server || status.certificateAuthorityHash !== shortHash(certificateAuthority);
}

/** Whoever has access already keeps the rest of it; it goes on when the namespace is there. */
function namespaceMissing(namespace: string): TargetTrouble {
  const message = texts.namespaceMissing(namespace);
  return new TargetTrouble({ type: conditionTypes.rbacReady, reason: reasons.namespaceMissing, message, again: true });
}

function kubeconfigText({ server, certificateAuthority }: Target, request: Request, token: string): string {
  const namespace = request.spec.role?.namespace;
  const { name } = clusterOf(request);
  return kubeconfigFor({
    name,
    server,
    ca: certificateAuthority,
    token,
    ...(namespace !== undefined && { namespace }),
  });
}

/** What bites first goes first; the published copy before the roles; and only then it is said to be done. */
export async function revoke(visit: Visit, seen: Seen, around: Surroundings, signal: AbortSignal): Promise<void> {
  const { request } = seen;
  const { client } = visit.target;
  const held = await atTarget(async () => {
    const found = await holdingsOf(client, request, visit.signal);
    await cutOff(client, found, visit.signal);
    return found;
  });
  await unpublish(around.client, request, signal);
  const withdrawn = await writeStatus(request, statuses.withdrawn(seen), around, signal);
  await atTarget(() => removeRoles(client, held, visit.signal));
  await writeStatus(withdrawn, statuses.revoked({ ...seen, request: withdrawn }), around, signal);
}
