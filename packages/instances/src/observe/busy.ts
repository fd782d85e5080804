/**
 * Until when an instance keeps the control plane busy by its start or its stop. Both are waited for by somebody, and go
 * before the removal of namespaces, for which nobody waits.
 */
import { parseTime, type Stored } from "@berg/apimachinery";
import { findCondition, type Namespace } from "@berg/kube";
import { type ChallengeInstance, isEnding } from "@berg/resources";
import { isOurs } from "../builders/marks.ts";
import { type ConditionType, conditionTypes } from "../vocabulary.ts";

/** What takes longer waits for an image, a node or a container's time to end, and costs the API server nothing. */
const busyMs = 10_000;

/** In ms since 1970; undefined where it does not. `namespace`: the one under its name. */
export function busyUntil(
  instance: Stored<ChallengeInstance>,
  namespace: Stored<Namespace> | undefined,
): number | undefined {
  const { metadata, status } = instance;
  if (status?.phase === "Terminating") {
    const isStopping =
      namespace && isOurs(namespace, metadata.uid) && namespace.metadata.deletionTimestamp === undefined;
    return isStopping ? afterwards(changeOf(instance, conditionTypes.namespaceDeleted)) : undefined;
  }
  if (isEnding(instance)) return undefined;
  if (status?.phase === undefined) return afterwards(metadata.creationTimestamp);
  const isStarting = status.phase === "Creating" || status.phase === "Starting";
  return isStarting ? afterwards(changeOf(instance, conditionTypes.admitted)) : undefined;
}

function changeOf({ status }: ChallengeInstance, type: ConditionType): string | undefined {
  return findCondition(status?.conditions, type)?.lastTransitionTime;
}

function afterwards(time: string | undefined): number | undefined {
  return time === undefined ? undefined : parseTime(time) + busyMs;
}
