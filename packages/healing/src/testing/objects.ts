/** Pods, instances and namespaces for tests; what is not said is as small as it can be. */
import { formatTime, type Stored } from "@berg/apimachinery";
import type { Namespace, Pod } from "@berg/kube";
import { type ChallengeInstance, challengeKind, labels, managedByBerg } from "@berg/resources";

type PodStatus = NonNullable<Pod["status"]>;
type ContainerStatus = NonNullable<PodStatus["containerStatuses"]>[number];

export const epoch = Date.parse("2026-01-01T00:00:00Z");

/** `seconds` after the time at which all of this begins. */
export function at(seconds: number): string {
  return formatTime(epoch + seconds * 1000);
}

export function makePod(
  status: PodStatus,
  {
    name = "web-1",
    uid = `uid-${name}`,
    instance = "instance-1",
    container = "web",
    created = 0,
    ...metadata
  } = {} as {
    name?: string;
    uid?: string;
    instance?: string;
    container?: string;
    created?: number;
    namespace?: string;
    deletionTimestamp?: string;
  },
): Stored<Pod> {
  const marks = {
    [labels.managedBy]: managedByBerg,
    [labels.kind]: challengeKind,
    [labels.instanceUid]: instance,
    [labels.container]: container,
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{ namespace: "challenge-1", name, uid, resourceVersion: "1", labels: marks },
      creationTimestamp: at(created),
      ...metadata,
    },
    spec: { containers: [{ name: container }] },
    status,
  } as Stored<Pod>;
}

/** The status of a pod with one container. */
export function containing(more: Partial<ContainerStatus>, phase = "Pending"): PodStatus {
  const usual = { name: "web", image: "web:1", imageID: "", ready: false, restartCount: 0 };
  return { phase, containerStatuses: [{ ...usual, ...more }] };
}

export function readyStatus(more: Partial<ContainerStatus> = {}): PodStatus {
  return {
    ...containing({ ready: true, started: true, state: { running: { startedAt: at(0) } }, ...more }, "Running"),
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: at(1) }],
  };
}

export function makeInstance(
  status: ChallengeInstance["status"] = {},
  metadata: { uid?: string; annotations?: Record<string, string>; deletionTimestamp?: string } = {},
): Stored<ChallengeInstance> {
  return {
    apiVersion: "berg.norelect.ch/v1",
    kind: "ChallengeInstance",
    metadata: {
      ...{ namespace: "berg", name: "one", uid: "instance-1", resourceVersion: "1", creationTimestamp: at(0) },
      ...metadata,
    },
    spec: { challengeRef: { name: "notes" }, ownerId: "owner-1", renewals: 0, restarts: 0 },
    status,
  };
}

export function makeNamespace({
  name = "challenge-1",
  instance = "instance-1",
  deletionTimestamp = undefined as string | undefined,
} = {}) {
  const namespace: Stored<Namespace> = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      ...{ name, uid: "namespace-1", resourceVersion: "1", creationTimestamp: at(0) },
      labels: { [labels.managedBy]: managedByBerg, [labels.instanceUid]: instance },
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
  };
  return namespace;
}
