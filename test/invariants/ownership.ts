/** I1: nothing is deleted that is not ours. I2: nothing of ours stays behind. */
import { labels } from "@berg/resources";
import type { Seen } from "../faults/proxy.ts";
import {
  type Invariant,
  isInstance,
  isMarked,
  nameOf,
  type Observed,
  type RunRecord,
  type Violation,
} from "./record.ts";

/** How long an object may stay after its instance is gone: for the namespace controller, and for watches to tell. */
const orphanGraceMs = 15_000;

export const ownership: Invariant = (run) => {
  const byUid = new Map(run.changes.map((change) => [change.object.metadata.uid, change]));
  const violations: Violation[] = [];
  const broken = (text: string) => violations.push({ invariant: "I1 ownership", text });
  for (const request of run.requests) {
    const what = `${request.verb} ${request.resource} ${request.namespace}/${request.name}`;
    if (request.verb === "deletecollection" && !isOurNamespace(run, request)) {
      broken(`${what}: the namespace does not carry our mark`);
    }
    if (request.verb !== "delete") continue;
    if (request.uid === undefined) {
      broken(`${what}: it names no UID, so it could have hit whatever came under that name`);
      continue;
    }
    const target = byUid.get(request.uid);
    if (!target || isInstance(target)) continue;
    const wrong = whyNotOurs(target, byUid);
    if (wrong) broken(`${what}: ${wrong}`);
  }
  return violations;
};

function isOurNamespace({ changes }: RunRecord, { namespace }: Seen): boolean {
  return changes.some(
    ({ resource, object }) => resource === "namespaces" && object.metadata.name === namespace && isMarked(object),
  );
}

function whyNotOurs(target: Observed, byUid: ReadonlyMap<string, Observed>): string | undefined {
  if (!isMarked(target.object)) return "it does not carry our mark";
  const owner = byUid.get(target.object.metadata.labels?.[labels.instanceUid] ?? "");
  if (!owner || !isInstance(owner)) return "the instance that it is marked with never was";
  if (target.resource !== "namespaces") return undefined;
  const { metadata, spec, status } = owner.object;
  const isEnding = metadata.deletionTimestamp ?? spec.terminationReason ?? status?.terminationReason;
  return isEnding || owner.type === "deleted" ? undefined : "its instance was never asked to end";
}

export const noOrphans: Invariant = ({ changes, now }) => {
  const goneAt = new Map<string, number>();
  const latest = new Map<string, Observed>();
  for (const change of changes) {
    const { uid } = change.object.metadata;
    latest.set(uid, change);
    if (isInstance(change) && change.type === "deleted") goneAt.set(uid, change.at);
  }
  return [...latest.values()].flatMap((change) => {
    const gone = goneAt.get(change.object.metadata.labels?.[labels.instanceUid] ?? "");
    const until = change.type === "deleted" ? change.at : now;
    if (gone === undefined || until - gone <= orphanGraceMs) return [];
    const text = `${nameOf(change)} stayed for ${Math.round((until - gone) / 1000)} s after its instance`;
    return [{ invariant: "I2 no orphan", text }];
  });
};
