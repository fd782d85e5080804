/** What became of a pod and of its containers. Long, as the API is; there is nothing in it to understand. */
import {
  always,
  bool,
  choice,
  int32,
  int64,
  kept,
  list,
  listMap,
  mapOf,
  object,
  patchedBy,
  quantity,
  setOf,
  text,
  time,
} from "../../shapes.ts";
import { resourceRequirements } from "./references.ts";
import { signal } from "./signals.ts";

const containerStateRunning = object({
  startedAt: always(time()),
});

const containerStateTerminated = object(
  {
    containerID: text(),
    exitCode: always(int32()),
    finishedAt: always(time()),
    message: text(),
    reason: text(),
    signal: int32(),
    startedAt: always(time()),
  },
  ["exitCode"],
);

const containerStateWaiting = object({
  message: text(),
  reason: text(),
});

const containerState = object({
  running: containerStateRunning,
  terminated: containerStateTerminated,
  waiting: containerStateWaiting,
});

const resourceHealth = object(
  {
    health: text(),
    message: kept(text()),
    resourceID: always(text()),
  },
  ["resourceID"],
);

const resourceStatus = object(
  {
    name: always(text()),
    resources: listMap(["resourceID"], resourceHealth),
  },
  ["name"],
);

const linuxContainerUser = object(
  {
    gid: always(int64()),
    supplementalGroups: list(int64()),
    uid: always(int64()),
  },
  ["uid", "gid"],
);

const containerUser = object({
  linux: linuxContainerUser,
});

const imageVolumeStatus = object(
  {
    imageRef: always(text()),
  },
  ["imageRef"],
);

const volumeStatus = object({
  image: imageVolumeStatus,
});

const volumeMountStatus = object(
  {
    mountPath: always(text()),
    name: always(text()),
    readOnly: bool(),
    recursiveReadOnly: kept(text()),
    volumeStatus,
  },
  ["name", "mountPath"],
);

const containerStatus = object(
  {
    allocatedResources: mapOf(quantity()),
    allocatedResourcesStatus: listMap(["name"], resourceStatus, "name"),
    containerID: text(),
    image: always(text()),
    imageID: always(text()),
    lastState: always(containerState),
    name: always(text()),
    ready: always(bool()),
    resources: resourceRequirements,
    restartCount: always(int32()),
    started: kept(bool()),
    state: always(containerState),
    stopSignal: kept(signal),
    user: containerUser,
    volumeMounts: listMap(["mountPath"], volumeMountStatus, "mountPath"),
  },
  ["name", "ready", "restartCount", "image", "imageID"],
);

const podCondition = object(
  {
    lastProbeTime: always(time()),
    lastTransitionTime: always(time()),
    message: text(),
    observedGeneration: int64(),
    reason: text(),
    status: always(text()),
    type: always(text()),
  },
  ["type", "status"],
);

const hostIP = object(
  {
    ip: always(text()),
  },
  ["ip"],
);

const podIP = object(
  {
    ip: always(text()),
  },
  ["ip"],
);

const podResourceClaimStatus = object(
  {
    name: always(text()),
    resourceClaimName: kept(text()),
  },
  ["name"],
);

const containerExtendedResourceRequest = object(
  {
    containerName: always(text()),
    requestName: always(text()),
    resourceName: always(text()),
  },
  ["containerName", "resourceName", "requestName"],
);

const podExtendedResourceClaimStatus = object(
  {
    requestMappings: list(containerExtendedResourceRequest),
    resourceClaimName: always(text()),
  },
  ["requestMappings", "resourceClaimName"],
);

const nodeAllocatableResourceClaimStatus = object(
  {
    containers: setOf(text()),
    resourceClaimName: always(text()),
    resources: mapOf(quantity()),
  },
  ["resourceClaimName", "resources"],
);

export const podStatus = object({
  allocatedResources: mapOf(quantity()),
  conditions: listMap(["type"], podCondition, "type"),
  containerStatuses: list(containerStatus),
  ephemeralContainerStatuses: list(containerStatus),
  extendedResourceClaimStatus: podExtendedResourceClaimStatus,
  hostIP: text(),
  hostIPs: patchedBy("merge", list(hostIP), "ip"),
  initContainerStatuses: list(containerStatus),
  message: text(),
  nodeAllocatableResourceClaimStatuses: list(nodeAllocatableResourceClaimStatus),
  nominatedNodeName: text(),
  observedGeneration: int64(),
  phase: choice("Failed", "Pending", "Running", "Succeeded", "Unknown"),
  podIP: text(),
  podIPs: listMap(["ip"], podIP, "ip"),
  qosClass: choice("BestEffort", "Burstable", "Guaranteed"),
  reason: text(),
  resize: text(),
  resourceClaimStatuses: patchedBy("merge,retainKeys", listMap(["name"], podResourceClaimStatus, "name")),
  resources: resourceRequirements,
  startTime: time(),
});
