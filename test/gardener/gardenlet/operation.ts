/** What gardenlet would begin next, from how a Shoot looks now. */
import type { OperationState, OperationType, TestShoot } from "../kinds.ts";

export const operationAnnotation = "gardener.cloud/operation";

export type Rotation = "certificateAuthorities" | "serviceAccountKey";

const rotations: Record<string, { of: Rotation[]; step: "start" | "complete" }> = {
  "rotate-ca-start": { of: ["certificateAuthorities"], step: "start" },
  "rotate-ca-complete": { of: ["certificateAuthorities"], step: "complete" },
  "rotate-serviceaccount-key-start": { of: ["serviceAccountKey"], step: "start" },
  "rotate-serviceaccount-key-complete": { of: ["serviceAccountKey"], step: "complete" },
  "rotate-credentials-start": { of: ["certificateAuthorities", "serviceAccountKey"], step: "start" },
  "rotate-credentials-complete": { of: ["certificateAuthorities", "serviceAccountKey"], step: "complete" },
};

export interface Due {
  type: OperationType;
  rotation?: { of: Rotation[]; step: "start" | "complete" };
  /** Whether the annotation is used up by this. */
  consumes: boolean;
}

export function operationDue(shoot: TestShoot): Due | undefined {
  const last = shoot.status?.lastOperation;
  const asked = shoot.metadata.annotations?.[operationAnnotation] ?? "";
  const consumes = isGranted(asked, last?.state);
  const isWanted = consumes || shoot.metadata.generation !== shoot.status?.observedGeneration;
  if (shoot.metadata.deletionTimestamp !== undefined)
    return last?.type !== "Delete" || isWanted ? { type: "Delete", consumes } : undefined;
  if (!last) return { type: "Create", consumes };
  // What was moved away is about to be restored elsewhere, and is nobody's until then.
  if (last.type === "Migrate") return undefined;
  // Until it has succeeded once, every further try is still the creation.
  const type = last.type === "Create" && last.state !== "Succeeded" ? "Create" : "Reconcile";
  const rotation = rotations[asked];
  if (rotation && last.state === "Succeeded") return { type, rotation, consumes: true };
  return isWanted ? { type, consumes } : undefined;
}

/** A retry is for what has failed for good; everything else is for what has not. */
function isGranted(asked: string, state: OperationState | undefined): boolean {
  if (asked === "retry") return state === "Failed";
  return (asked === "reconcile" || asked === "maintain") && state !== undefined && state !== "Failed";
}
