/** What somebody wants to see who asks why an instance is not where it should be. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import type { CoreEvent } from "@berg/kube";
import { type ChallengeInstance, labels } from "@berg/resources";
import { stringify } from "yaml";
import type { Followed } from "../invariants/follow.ts";

export function reportOn(uid: string, followed: Followed): string {
  const all = followed.resources.flatMap((informer) => informer.list());
  const instance = all.find(({ metadata }) => metadata.uid === uid) as Stored<ChallengeInstance> | undefined;
  const events = followed.informer("events").list() as Stored<CoreEvent>[];
  const own = all.filter(({ metadata }) => metadata.labels?.[labels.instanceUid] === uid);
  return [
    "status:",
    instance ? indent(stringify(instance.status ?? {})) : "  the instance is not there",
    "events:",
    ...events
      .filter((event) => event.involvedObject.uid === uid)
      .map(({ type, reason, message }) => `  ${type} ${reason}: ${message}`),
    "objects:",
    ...own.map((object) => `  ${object.kind} ${object.metadata.name}${going(object)} ${shortStatus(object)}`),
  ].join("\n");
}

function going({ metadata: { deletionTimestamp } }: KubeObject): string {
  return deletionTimestamp === undefined ? "" : ` (going since ${deletionTimestamp})`;
}

interface WithStatus {
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

function shortStatus(object: KubeObject & WithStatus): string {
  const { phase = "", conditions = [] } = object.status ?? {};
  return [phase, ...conditions.map(({ type, status }) => `${type}=${status}`)].filter(Boolean).join(" ");
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, "  ");
}
