/** Makes access as it should be, or takes it away: both ends of it, in the target and beside the request. */
import { kubeconfigFor } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import type { Target } from "../target/target.ts";
import type { Cause } from "./decide.ts";
import { isElsewhere, reachedBy, serversOf } from "./elsewhere.ts";
import type { Surroundings } from "./gather.ts";
import { type Request, shortHash } from "./names.ts";
import { findPublished, issueIn, publish, readPublished, unpublish } from "./publish.ts";
import { allExpiredAt, clusterOf, isRotationAsked, type Seen } from "./seen.ts";
import { removeRetired, type Work, work } from "./session.ts";
import * as statuses from "./status/status.ts";
import { cutOff, removeRoles } from "./target/cut-off.ts";
import type { Granted } from "./target/grant.ts";
import { foundIn, holdingsOf } from "./target/holdings.ts";
import { TargetTrouble } from "./trouble.ts";
import { tellIssue, tellUntold } from "./untold.ts";
import { atTarget, type Visit } from "./visit.ts";
import { conditionTypes, events, reasons, texts } from "./vocabulary.ts";
import { writeStatus } from "./write.ts";

/** Rights as they should be, and a kubeconfig where one is needed: published before anything else is done. */
export async function bring(
  visit: Visit,
  seen: Seen,
  cause: Cause | undefined,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, accessNamespaces } = around;
  const { request } = seen;
  const { target } = visit;
  const isSecret = request.spec.output === "Secret";
  // Also where the next is put elsewhere: one that the status does not tell of may be there.
  const secret = await (isSecret ? readPublished : findPublished)(client, request, signal);
  const published = secret && issueIn(request, secret);
  const isNeeded = cause !== undefined || isElsewhere(target, request.status);
  const inside = { accessNamespaces, clock, signal: visit.signal };
  const done = await atTarget(() => work(target, seen, isNeeded, published, inside));
  // It took its time; what is written down counts from here.
  const now = { ...seen, now: clock.now() };
  const why = cause ?? "changed";
  if (done.adopted) {
    const answersRotation = done.adopted.answersRotation && isRotationAsked(seen);
    const issue = { ...done.adopted, answersRotation };
    const status = statuses.issued(now, done.granted, why, issue, done.reached, undefined);
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
    const place = { server: target.server, certificateAuthorityHash: shortHash(target.certificateAuthority) };
    const issue = { epoch, life, credentialHash, anchorUid, serviceAccountUid, ...place, answersRotation };
    const text = kubeconfigText(target, request, token.text);
    const told = await tellIssue(request, published, around, signal, done.reached);
    if (isSecret) around.secrets.wrote(await publish(client, told, issue, text, secret, signal));
    const after = { ...now, request: told };
    const status = statuses.issued(after, granted, why, issue, done.reached, isSecret ? undefined : text);
    await writeStatus(told, status, around, signal);
    around.metrics.issued(why);
    // One that the status never told of: a crash may have left it. One that it tells of is withdrawn next.
    if (!isSecret && secret && !request.status?.secretRef) await unpublish(client, request, signal);
  }
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

/** Makes those useless whose time is up. */
export async function retire(visit: Visit, seen: Seen, around: Surroundings, signal: AbortSignal): Promise<void> {
  const reached = await atTarget(() => removeRetired(visit.target, seen, visit.signal));
  await writeStatus(seen.request, statuses.retired(seen, reached), around, signal);
}

/** What bites first goes first; the published copy before the roles; and only then it is said to be done. */
export async function revoke(visit: Visit, seen: Seen, around: Surroundings, signal: AbortSignal): Promise<void> {
  const { client } = visit.target;
  const held = await atTarget(() => holdingsOf(client, seen.request, visit.signal));
  const reached = reachedBy(seen, visit.target, foundIn(held, seen.request));
  const known =
    reached.is === "moved"
      ? await writeStatus(seen.request, statuses.moved(seen, reached), around, signal)
      : seen.request;
  await atTarget(() => cutOff(client, held, visit.signal));
  const request = await tellUntold(known, around, signal, reached);
  await unpublish(around.client, request, signal);
  const left = statuses.leftBy({ ...seen, request }, reached);
  if (allExpiredAt(left) > seen.now) return leave({ ...seen, request }, left);
  const withdrawn = await writeStatus(request, statuses.withdrawn({ ...seen, request }, reached), around, signal);
  await atTarget(() => removeRoles(client, held, visit.signal));
  await writeStatus(withdrawn, ended({ ...seen, request: withdrawn }), around, signal);

  /** Nothing more can be done here for those that work elsewhere. */
  async function leave(now: Seen, status: KubeconfigRequestStatus): Promise<never> {
    const trouble = targetChanged(status);
    const next = statuses.troubled({ ...now, request: { ...now.request, status } }, trouble);
    await writeStatus(now.request, next, around, signal);
    await atTarget(() => removeRoles(client, held, visit.signal));
    throw trouble;
  }

  function ended(now: Seen): KubeconfigRequestStatus {
    const servers = serversOf(left);
    if (servers.length === 0) return statuses.revoked(now);
    const { type, reason, message } = events.leftElsewhere;
    around.recorder.event(now.request, type, reason, message(servers));
    return statuses.revokedByExpiry(now, servers);
  }
}

/** Of use is only a change of the Secret, or that time goes by. */
function targetChanged(left: KubeconfigRequestStatus): TargetTrouble {
  const message = texts.targetChanged(serversOf(left));
  return new TargetTrouble({ type: conditionTypes.revoked, reason: reasons.targetChanged, message, again: false });
}
