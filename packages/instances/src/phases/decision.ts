/** What is to be done about an instance, as data: deciding is pure, and doing it is `effects/`. */
import type { KubeObject, ResourceType, Stored } from "@berg/apimachinery";
import type { ChallengeInstanceStatus } from "@berg/resources";
import type { Child } from "../builders/blueprint.ts";

export type Effect =
  | { do: "addFinalizer" }
  | { do: "removeFinalizer" }
  /**
   * Makes the object, or where it is `found`, makes it as it should be. `wasEdited`: it was so before, and the same is
   * wanted now as then, so that somebody else has changed it; else it may be that we want something else by now.
   */
  | { do: "make"; child: Child; found?: Stored<KubeObject>; wasEdited?: boolean }
  /** `force`: without the time to end that the object was given. `after`: what would make it anew goes first. */
  | { do: "delete"; type: ResourceType; object: Stored<KubeObject>; force?: boolean; after?: Life | undefined }
  | { do: "deleteInstance" };

/** One life of an object that nobody here has a copy of. */
export interface Life {
  type: ResourceType;
  object: { metadata: { namespace?: string | undefined; name: string; uid: string } };
}

export interface Decision {
  /** Done at once and together; then everything is looked at again. */
  effects: Effect[];
  /** What the status has to say. It is written when no effects are left. */
  status: ChallengeInstanceStatus;
  /** Nothing may be done before this status is written; afterwards everything is looked at again. */
  statusFirst: boolean;
  /** What has to be done all the same where the server does not take that status: nothing but words is lost by it. */
  regardless?: Effect[] | undefined;
  /** When to look again, even if nothing changes: ms since 1970. */
  dueAt?: number | undefined;
  /** Something of it runs that has to be told to stop, and its end began then: ms since 1970. */
  stoppingSince?: number | undefined;
  /** The deletion of its namespace waits (`NamespaceDeletionLimit`), and its end began then: ms since 1970. */
  queuedSince?: number | undefined;
}
