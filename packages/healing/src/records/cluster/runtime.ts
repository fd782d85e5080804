/** Between a ChallengeInstance and its record. What a change leads to is worked out here; undefined: there is none. */
import { formatMicroTime, parseTime, type Stored } from "@berg/apimachinery";
import type { ChallengeInstance, InstanceRuntime } from "@berg/resources";
import type { Life, RuntimeRecord } from "../runtime-records.ts";

type Begun = ChallengeInstance["status"] & { startedAt: string; namespace: string };

/** Whether the controller has written what a record takes from it. Before that there is nothing that could run. */
export function hasBegun(status: ChallengeInstance["status"]): status is Begun {
  return status?.startedAt !== undefined && status.namespace !== undefined;
}

/** All that never changes in one life is the instance's own. */
export function recordOf({ metadata, spec, status }: Stored<ChallengeInstance>): RuntimeRecord | undefined {
  if (!hasBegun(status) || !status.runtime) return undefined;
  const { runtime, startedAt, namespace } = status;
  const { state, stoppedAt, reservedUntil, pods = [] } = runtime;
  return {
    uid: metadata.uid,
    instance: { namespace: metadata.namespace ?? "", name: metadata.name },
    namespace,
    ownerId: spec.ownerId,
    challenge: spec.challengeRef.name,
    status: state,
    startedAt: parseTime(startedAt),
    ...(stoppedAt !== undefined && { stoppedAt: parseTime(stoppedAt) }),
    ...(reservedUntil !== undefined && { reservedUntil: parseTime(reservedUntil) }),
    pods: Object.fromEntries(
      pods.map(({ container, podUid, restarts, replaced }) => [container, { uid: podUid, restarts, replaced }]),
    ),
  };
}

export function lived(runtime: InstanceRuntime | undefined, life: Life): InstanceRuntime | undefined {
  const { reservedUntil: before, stoppedAt: _over, ...rest } = runtime ?? {};
  const heldUntil = before === undefined ? undefined : parseTime(before);
  if (runtime?.state === life.status && heldUntil === life.reservedUntil) return undefined;
  const reservedUntil = life.reservedUntil === undefined ? {} : { reservedUntil: formatMicroTime(life.reservedUntil) };
  return { ...rest, state: life.status, ...reservedUntil };
}

export function withPod(
  runtime: InstanceRuntime | undefined,
  container: string,
  seen: { uid: string; restarts: number },
): InstanceRuntime | undefined {
  if (!runtime || runtime.state === "STOPPED") return undefined;
  const { pods = [] } = runtime;
  const before = pods.find((pod) => pod.container === container);
  const isSamePod = before?.podUid === seen.uid;
  if (isSamePod && before.restarts === seen.restarts) return undefined;
  const replaced = before ? before.replaced + (isSamePod ? 0 : 1) : 0;
  const now = { container, podUid: seen.uid, restarts: seen.restarts, replaced };
  return { ...runtime, pods: before ? pods.map((pod) => (pod === before ? now : pod)) : [...pods, now] };
}

export function stopped(runtime: InstanceRuntime | undefined, at: number): InstanceRuntime | undefined {
  if (!runtime || runtime.state === "STOPPED") return undefined;
  const { reservedUntil: _free, ...rest } = runtime;
  return { ...rest, state: "STOPPED", stoppedAt: formatMicroTime(at) };
}
