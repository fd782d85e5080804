/** Nodes. */
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
  quantity,
  setOf,
  text,
  time,
} from "../../shapes.ts";

const taint = object(
  {
    effect: always(choice("NoExecute", "NoSchedule", "PreferNoSchedule")),
    key: always(text()),
    timeAdded: time(),
    value: text(),
  },
  ["key", "effect"],
);

const configMapNodeConfigSource = object(
  {
    kubeletConfigKey: always(text()),
    name: always(text()),
    namespace: always(text()),
    resourceVersion: text(),
    uid: text(),
  },
  ["namespace", "name", "kubeletConfigKey"],
);

const nodeConfigSource = object({
  configMap: configMapNodeConfigSource,
});

export const nodeSpec = object({
  configSource: nodeConfigSource,
  externalID: text(),
  podCIDR: text(),
  podCIDRs: setOf(text(), true),
  providerID: text(),
  taints: list(taint),
  unschedulable: bool(),
});

const nodeAddress = object(
  {
    address: always(text()),
    type: always(text()),
  },
  ["type", "address"],
);

const nodeCondition = object(
  {
    lastHeartbeatTime: always(time()),
    lastTransitionTime: always(time()),
    message: text(),
    reason: text(),
    status: always(text()),
    type: always(text()),
  },
  ["type", "status"],
);

const nodeConfigStatus = object({
  active: nodeConfigSource,
  assigned: nodeConfigSource,
  error: text(),
  lastKnownGood: nodeConfigSource,
});

const daemonEndpoint = object(
  {
    Port: always(int32()),
  },
  ["Port"],
);

const nodeDaemonEndpoints = object({
  kubeletEndpoint: always(daemonEndpoint),
});

const nodeFeatures = object({
  supplementalGroupsPolicy: kept(bool()),
});

const containerImage = object({
  names: always(list(text())),
  sizeBytes: int64(),
});

const nodeSwapStatus = object({
  capacity: kept(int64()),
});

const nodeSystemInfo = object(
  {
    architecture: always(text()),
    bootID: always(text()),
    containerRuntimeVersion: always(text()),
    kernelVersion: always(text()),
    kubeProxyVersion: always(text()),
    kubeletVersion: always(text()),
    machineID: always(text()),
    operatingSystem: always(text()),
    osImage: always(text()),
    swap: nodeSwapStatus,
    systemUUID: always(text()),
  },
  [
    "machineID",
    "systemUUID",
    "bootID",
    "kernelVersion",
    "osImage",
    "containerRuntimeVersion",
    "kubeletVersion",
    "kubeProxyVersion",
    "operatingSystem",
    "architecture",
  ],
);

const nodeRuntimeHandlerFeatures = object({
  recursiveReadOnlyMounts: kept(bool()),
  userNamespaces: kept(bool()),
});

const nodeRuntimeHandler = object({
  features: nodeRuntimeHandlerFeatures,
  name: always(text()),
});

const attachedVolume = object(
  {
    devicePath: always(text()),
    name: always(text()),
  },
  ["name", "devicePath"],
);

export const nodeStatus = object({
  addresses: listMap(["type"], nodeAddress, "type"),
  allocatable: mapOf(quantity()),
  capacity: mapOf(quantity()),
  conditions: listMap(["type"], nodeCondition, "type"),
  config: nodeConfigStatus,
  daemonEndpoints: always(nodeDaemonEndpoints),
  declaredFeatures: list(text()),
  features: nodeFeatures,
  images: list(containerImage),
  nodeInfo: always(nodeSystemInfo),
  phase: choice("Pending", "Running", "Terminated"),
  runtimeHandlers: list(nodeRuntimeHandler),
  volumesAttached: list(attachedVolume),
  volumesInUse: list(text()),
});
