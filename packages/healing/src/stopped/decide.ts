/** What the record of an instance should say: a pure function of the instance and of its namespace. */
import { parseTime, type Stored } from "@berg/apimachinery";
import { isConditionTrue, type Namespace } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import type { Life } from "../records/runtime-records.ts";

export type RecordStep =
  | { readonly do: "nothing" }
  | { readonly do: "live"; readonly life: Life }
  | { readonly do: "stop"; readonly at: number }
  /** Its namespace should be there, or has been, and is not seen: gone, or not seen yet. The server has to be asked. */
  | { readonly do: "ask" };

/** A word of the controller's. */
const namespaceCreated = "NamespaceCreated";

/** `namespace`: its own, where it carries the marks of this instance. A pod that goes is no matter here: another one comes. */
export function decideRecord(
  instance: Stored<ChallengeInstance>,
  namespace: Stored<Namespace> | undefined,
  now: number,
): RecordStep {
  const life = lifeOf(instance);
  if (!life) return { do: "nothing" };
  const { phase, terminatedAt, conditions } = instance.status ?? {};
  if (phase === "Terminated") return { do: "stop", at: terminatedAt === undefined ? now : parseTime(terminatedAt) };
  if (namespace) return stopIfGoing(namespace) ?? { do: "live", life };
  // What the server has refused was taken back: it holds no place until it is made once more.
  const isBeingMade = phase === "Creating" || phase === "Starting";
  return isBeingMade && !isConditionTrue(conditions, namespaceCreated) ? { do: "live", life } : { do: "ask" };
}

/** Whoever deletes a namespace ends what runs in it. */
export function stopIfGoing({ metadata }: Stored<Namespace>): RecordStep | undefined {
  return metadata.deletionTimestamp === undefined
    ? undefined
    : { do: "stop", at: parseTime(metadata.deletionTimestamp) };
}

/** Undefined for one that has no place yet: it waits, or nobody has looked at it. */
function lifeOf({ metadata, spec, status }: Stored<ChallengeInstance>): Life | undefined {
  const { startedAt, readyAt, namespace, expiresAt } = status ?? {};
  if (startedAt === undefined || namespace === undefined) return undefined;
  return {
    uid: metadata.uid,
    instance: { namespace: metadata.namespace ?? "", name: metadata.name },
    namespace,
    ownerId: spec.ownerId,
    challenge: spec.challengeRef.name,
    status: readyAt === undefined ? "STARTING" : "RUNNING",
    startedAt: parseTime(startedAt),
    ...(expiresAt !== undefined && { reservedUntil: parseTime(expiresAt) }),
  };
}
