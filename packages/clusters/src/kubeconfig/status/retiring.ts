/** Those that were replaced: until they come to their end, or are made useless. */
import { formatTime } from "@berg/apimachinery";
import { type KubeconfigRequestStatus, kubeconfigStatusLimits } from "@berg/resources";
import type { Cause } from "../decide.ts";
import { type Former, isLeft, type Reached } from "../elsewhere.ts";
import { type Request, shortHash } from "../names.ts";
import { afterExpiryMs } from "../schedule.ts";
import { endOf, lifeOf, type Seen } from "../seen.ts";
import { reasons, texts, conditionTypes as types } from "../vocabulary.ts";
import { said } from "./conditions.ts";
import type { Issue } from "./issued.ts";

type Status = KubeconfigRequestStatus;

/** Those before `issue`. Nobody loses what works before the next one is there; who asked for a rotation waits a moment only. */
export function retiringAfter(seen: Seen, cause: Cause, issue: Issue, reached: Reached): Former[] {
  const { request, now, graceMs } = seen;
  const { status = {}, spec } = request;
  const limits: Partial<Record<Cause, number>> = { shortened: now + spec.expiration * 1000 };
  const latest = issue.answersRotation ? now + graceMs : (limits[cause] ?? Number.POSITIVE_INFINITY);
  /** The cluster that was reached, by the words by which it will be known again. */
  const here = {
    server: reached.server,
    serviceAccountUid: issue.serviceAccountUid,
    certificateAuthorityHash: shortHash(reached.certificateAuthority),
  };
  const retiringHere = (each: Former): Former => ({
    ...each,
    ...here,
    until: formatTime(Math.min(Date.parse(each.until), latest)),
  });
  const former = formerOf(status).filter(({ epoch }) => epoch !== issue.epoch);
  return withinLimit(former, (each) => isLeft(each, reached)).map((each) =>
    isLeft(each, reached) ? leftAlone(each) : retiringHere(each),
  );
}

/**
 * As many as the status has room for. Those that nobody can cut off are kept. Of the others those go that end first: what is
 * not told of is cut off with the next one, and all has come to its end when what is told of has.
 */
export function withinLimit(former: readonly Former[], isKept: (each: Former) => boolean): Former[] {
  const over = Math.max(0, former.length - kubeconfigStatusLimits.retiring);
  const others = former.filter((each) => !isKept(each)).sort((a, b) => endOf(a) - endOf(b));
  const dropped = others.slice(0, over);
  return former.filter((each) => !dropped.includes(each));
}

/**
 * There is no room to tell of one more that nobody can cut off, and of another that is published before the status tells of
 * it: a status that the server refuses would keep all of it from ever being revoked.
 */
export function isFull({ status = {} }: Request, reached: Reached): boolean {
  return formerOf(status).filter((each) => isLeft(each, reached)).length >= kubeconfigStatusLimits.retiring - 1;
}

function formerOf({ epoch, server, serviceAccountUid, certificateAuthorityHash, retiring = [], ...status }: Status) {
  const life = lifeOf(status);
  if (!life || epoch === undefined) return retiring;
  const newest: Former = {
    epoch,
    until: formatTime(life.expiresAt + afterExpiryMs),
    expirationTimestamp: formatTime(life.expiresAt),
    ...(server !== undefined && { server }),
    ...(serviceAccountUid !== undefined && { serviceAccountUid }),
    ...(certificateAuthorityHash !== undefined && { certificateAuthorityHash }),
  };
  return [...retiring, newest];
}

/** Nobody can make it useless: it has the whole of its life. */
function leftAlone(each: Former): Former {
  const { expirationTimestamp: end } = each;
  return end === undefined ? each : { ...each, until: formatTime(Date.parse(end) + afterExpiryMs) };
}

/** Those whose time was up are made useless, as far as they are in the cluster that was reached. */
export function retired(seen: Seen, reached: Reached): Status {
  const { retiring = [], ...status } = seen.request.status ?? {};
  const left = retiring
    .map((each) => (isLeft(each, reached) ? leftAlone(each) : each))
    .filter(({ until }) => Date.parse(until) > seen.now);
  return said({ ...status, ...(left.length > 0 && { retiring: left }) }, seen, [
    { type: types.targetReachable, status: "True", reason: reasons.reached, message: texts.reached },
  ]);
}
