/** Deployments and replica sets. */
import {
  always,
  bool,
  choice,
  int32,
  int64,
  intOrString,
  kept,
  listMap,
  object,
  patchedBy,
  text,
  time,
} from "../../shapes.ts";
import { labelSelector } from "./meta.ts";
import { podTemplateSpec } from "./pod-spec.ts";

const rollingUpdateDeployment = object({
  maxSurge: intOrString(),
  maxUnavailable: intOrString(),
});

const deploymentStrategy = object({
  rollingUpdate: rollingUpdateDeployment,
  type: choice("Recreate", "RollingUpdate"),
});

export const deploymentSpec = object(
  {
    minReadySeconds: int32(),
    paused: bool(),
    progressDeadlineSeconds: kept(int32()),
    replicas: kept(int32()),
    revisionHistoryLimit: kept(int32()),
    selector: labelSelector,
    strategy: always(patchedBy("retainKeys", deploymentStrategy)),
    template: always(podTemplateSpec),
  },
  ["selector", "template"],
);

const deploymentCondition = object(
  {
    lastTransitionTime: always(time()),
    lastUpdateTime: always(time()),
    message: text(),
    reason: text(),
    status: always(text()),
    type: always(text()),
  },
  ["type", "status"],
);

export const deploymentStatus = object({
  availableReplicas: int32(),
  collisionCount: kept(int32()),
  conditions: listMap(["type"], deploymentCondition, "type"),
  observedGeneration: int64(),
  readyReplicas: int32(),
  replicas: int32(),
  terminatingReplicas: kept(int32()),
  unavailableReplicas: int32(),
  updatedReplicas: int32(),
});

export const replicaSetSpec = object(
  {
    minReadySeconds: int32(),
    replicas: kept(int32()),
    selector: labelSelector,
    template: always(podTemplateSpec),
  },
  ["selector"],
);

const replicaSetCondition = object(
  {
    lastTransitionTime: always(time()),
    message: text(),
    reason: text(),
    status: always(text()),
    type: always(text()),
  },
  ["type", "status"],
);

export const replicaSetStatus = object(
  {
    availableReplicas: int32(),
    conditions: listMap(["type"], replicaSetCondition, "type"),
    fullyLabeledReplicas: int32(),
    observedGeneration: int64(),
    readyReplicas: int32(),
    replicas: always(int32()),
    terminatingReplicas: kept(int32()),
  },
  ["replicas"],
);
