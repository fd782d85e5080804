/** What becomes of an object, from what its owners are. Pure. */
import type { KubeObject, OwnerReference } from "@berg/apimachinery";
import { foreground, orphan } from "./graph.ts";

/** `solid`: there, and not waiting for its dependents. `waiting`: there, and gone when they are. `absent`: gone. */
export type OwnerState = "solid" | "waiting" | "absent";

export type Fate =
  | { do: "keep" }
  /** It has an owner that stays; the others let go of it, or those that wait would wait for ever. */
  | { do: "unlink"; uids: readonly string[] }
  | { do: "delete"; policy: "Background" | "Foreground" | "Orphan"; unblock: boolean };

export interface Judged {
  object: KubeObject;
  owners: readonly { reference: OwnerReference; state: OwnerState }[];
  hasDependents: boolean;
  /** Whether one of its dependents waits for its own: perhaps, in a ring, for this one. */
  hasWaitingDependents: boolean;
}

export function decideFate({ object, owners, hasDependents, hasWaitingDependents }: Judged): Fate {
  const uidsOf = (...states: OwnerState[]) =>
    owners.filter(({ state }) => states.includes(state)).map(({ reference }) => reference.uid);
  if (owners.length === 0) return { do: "keep" };
  if (uidsOf("solid").length > 0) {
    const uids = uidsOf("absent", "waiting");
    return uids.length > 0 ? { do: "unlink", uids } : { do: "keep" };
  }
  if (uidsOf("waiting").length > 0 && hasDependents) {
    return { do: "delete", policy: "Foreground", unblock: hasWaitingDependents };
  }
  return { do: "delete", policy: policyOf(object), unblock: false };
}

/** What somebody asked for already holds. */
function policyOf({ metadata: { finalizers = [] } }: KubeObject): "Background" | "Foreground" | "Orphan" {
  if (finalizers.includes(orphan)) return "Orphan";
  return finalizers.includes(foreground) ? "Foreground" : "Background";
}
