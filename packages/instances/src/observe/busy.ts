/**
 * How long an instance keeps the control plane busy by its start or its stop. Both are waited for by somebody, and go
 * before the removal of namespaces, for which nobody waits.
 */
import { parseTime, type Stored } from "@berg/apimachinery";
import { findCondition, type Namespace } from "@berg/kube";
import { type ChallengeInstance, isEnding } from "@berg/resources";
import { isOurs } from "../builders/marks.ts";
import { type ConditionType, conditionTypes } from "../vocabulary.ts";
import { type Moment, onOurClock } from "./snapshot.ts";

/** What takes longer waits for an image, a node or a container's time to end, and costs the API server nothing. */
const busyMs = 10_000;

/** How much longer, in ms; undefined where it does not. `namespace`: the one under its name. */
export function busyForMs(
  instance: Stored<ChallengeInstance>,
  namespace: Stored<Namespace> | undefined,
  moment: Moment,
): number | undefined {
  const since = busySince(instance, namespace, moment);
  if (since === undefined) return undefined;
  const ms = since + busyMs - moment.now;
  // What lies ahead was written by another process, with another clock.
  return ms > 0 ? Math.min(ms, busyMs) : undefined;
}

function busySince(
  instance: Stored<ChallengeInstance>,
  namespace: Stored<Namespace> | undefined,
  moment: Moment,
): number | undefined {
  const { metadata, status } = instance;
  if (status?.phase === "Terminating") {
    const isStopping =
      namespace && isOurs(namespace, metadata.uid) && namespace.metadata.deletionTimestamp === undefined;
    return isStopping ? changeOf(instance, conditionTypes.namespaceDeleted) : undefined;
  }
  if (isEnding(instance)) return undefined;
  if (status?.phase === undefined) return onOurClock(moment, metadata.creationTimestamp);
  const isStarting = status.phase === "Creating" || status.phase === "Starting";
  return isStarting ? changeOf(instance, conditionTypes.admitted) : undefined;
}

function changeOf({ status }: ChallengeInstance, type: ConditionType): number | undefined {
  const { lastTransitionTime } = findCondition(status?.conditions, type) ?? {};
  return lastTransitionTime === undefined ? undefined : parseTime(lastTransitionTime);
}
