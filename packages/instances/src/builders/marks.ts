/** What every object of an instance carries: by it we know our own, and others select. */
import type { KubeObject } from "@berg/apimachinery";
import { annotations, type components, labels, managedByBerg } from "@berg/resources";
import type { Blueprint } from "./blueprint.ts";
import { shortened } from "./names.ts";

export type Component = (typeof components)[keyof typeof components];

export interface Marks {
  labels: Record<string, string>;
  annotations?: Record<string, string>;
}

/**
 * Marks to be spread into an object's metadata; with `container` for what belongs to one container.
 *
 *     metadata: { name: "web", namespace, ...marks(blueprint, components.service, "web") }
 */
export function marks({ instance, challenge }: Blueprint, component: Component, container?: string): Marks {
  const ofChallenge = challengeMarks(challenge, component);
  return {
    ...ofChallenge,
    labels: {
      ...ofChallenge.labels,
      [labels.ownerId]: instance.ownerId,
      [labels.instanceId]: instance.instanceId,
      [labels.instanceUid]: instance.uid,
      ...(container !== undefined && { [labels.container]: container }),
    },
  };
}

/** For what several instances of one Challenge share. */
export function challengeMarks({ name, namespace }: Blueprint["challenge"], component: Component): Marks {
  const shortName = shortened(name);
  return {
    labels: {
      [labels.managedBy]: managedByBerg,
      [labels.component]: component,
      [labels.challenge]: shortName,
      [labels.challengeNamespace]: namespace,
    },
    ...(shortName !== name && { annotations: { [annotations.challengeName]: name } }),
  };
}

/** Whether the object was made for the ChallengeInstance with this UID. Nothing else may be changed or deleted. */
export function isOurs(object: Pick<KubeObject, "metadata">, uid: string): boolean {
  const found = object.metadata.labels;
  return found?.[labels.managedBy] === managedByBerg && found[labels.instanceUid] === uid;
}

/** Whether it was made for another ChallengeInstance. One from which somebody has taken the UID is nobody's. */
export function isAnothers(object: Pick<KubeObject, "metadata">, uid: string): boolean {
  const owner = object.metadata.labels?.[labels.instanceUid];
  return isManagedByBerg(object) && owner !== undefined && owner !== uid;
}

/** Whether some instance of ours made it, perhaps one that is gone. */
export function isManagedByBerg(object: Pick<KubeObject, "metadata">): boolean {
  return object.metadata.labels?.[labels.managedBy] === managedByBerg;
}
