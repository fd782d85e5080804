/** The ChallengeInstance of a start, as the API creates it. */
import { annotations, finalizers } from "@berg/resources";

export interface StartedInstance {
  namespace: string;
  id: string;
  ownerId: string;
  challengeName: string;
  flag: string;
}

export function instancesPath(namespace: string): string {
  return `/apis/berg.norelect.ch/v1/namespaces/${namespace}/challengeinstances`;
}

export function instanceObject({ namespace, id, ownerId, challengeName, flag }: StartedInstance) {
  return {
    apiVersion: "berg.norelect.ch/v1",
    kind: "ChallengeInstance",
    metadata: {
      namespace,
      name: `owner-${ownerId}`,
      annotations: { [annotations.instanceId]: id },
      finalizers: [finalizers.api],
    },
    spec: { challengeRef: { name: challengeName, namespace }, ownerId, flag, renewals: 0, restarts: 0 },
  };
}
