/**
 * Kinds whose deletion is more than taking them away. A namespace and a custom kind are first emptied by a controller:
 * a DELETE only marks them. And some kinds answer a DELETE with their last state, where others answer with a Status.
 */

import { isObject, partOf } from "./json.ts";
import type { AnyObject, ServedResource } from "./resource.ts";

interface Ending {
  /** Marks the draft beyond its deletionTimestamp. */
  begin(draft: AnyObject, now: string): void;
  /** What else must be empty before it may go. */
  isHeld(object: AnyObject): boolean;
}

const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

const endings: Record<string, Ending> = {
  namespaces: {
    begin(draft) {
      draft.status = { ...partOf(draft, "status"), phase: "Terminating" };
    },
    isHeld(namespace) {
      const { finalizers } = partOf(namespace, "spec");
      return Array.isArray(finalizers) && finalizers.length > 0;
    },
  },
  "customresourcedefinitions.apiextensions.k8s.io": {
    begin(draft, now) {
      const finalizers = draft.metadata.finalizers ?? [];
      if (!finalizers.includes(cleanupFinalizer)) draft.metadata.finalizers = [...finalizers, cleanupFinalizer];
      const status = partOf(draft, "status");
      const conditions = Array.isArray(status.conditions) ? status.conditions.filter(isObject) : [];
      const terminating = {
        type: "Terminating",
        status: "True",
        lastTransitionTime: now,
        reason: "InstanceDeletionPending",
        message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
      };
      draft.status = {
        ...status,
        conditions: [...conditions.filter(({ type }) => type !== "Terminating"), terminating],
      };
    },
    isHeld: () => false,
  },
};

export function endingOf({ storedAs }: ServedResource): Ending | undefined {
  return endings[storedAs];
}

export function isHeldBack(resource: ServedResource, object: AnyObject): boolean {
  return endingOf(resource)?.isHeld(object) ?? false;
}

const answeredWithLastState = new Set([
  "namespaces",
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "podtemplates",
  "resourcequotas",
  "serviceaccounts",
  "services",
  "csidrivers.storage.k8s.io",
  "csinodes.storage.k8s.io",
  "storageclasses.storage.k8s.io",
  "volumeattachments.storage.k8s.io",
]);

export function answersWithLastState({ storedAs }: ServedResource): boolean {
  return answeredWithLastState.has(storedAs);
}
