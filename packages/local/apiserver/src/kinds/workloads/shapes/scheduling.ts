/** Where a pod may run. */
import { always, atomicObject, choice, int32, int64, kept, list, object, text } from "../../shapes.ts";
import { labelSelector } from "./meta.ts";

const nodeSelectorRequirement = object(
  {
    key: always(text()),
    operator: always(choice("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn")),
    values: list(text()),
  },
  ["key", "operator"],
);

const nodeSelectorTerm = atomicObject({
  matchExpressions: list(nodeSelectorRequirement),
  matchFields: list(nodeSelectorRequirement),
});

const nodeSelector = atomicObject(
  {
    nodeSelectorTerms: list(nodeSelectorTerm),
  },
  ["nodeSelectorTerms"],
);

const preferredSchedulingTerm = object(
  {
    preference: always(nodeSelectorTerm),
    weight: always(int32()),
  },
  ["weight", "preference"],
);

const nodeAffinity = object({
  preferredDuringSchedulingIgnoredDuringExecution: list(preferredSchedulingTerm),
  requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
});

const podAffinityTerm = object(
  {
    labelSelector,
    matchLabelKeys: list(text()),
    mismatchLabelKeys: list(text()),
    namespaceSelector: labelSelector,
    namespaces: list(text()),
    topologyKey: always(text()),
  },
  ["topologyKey"],
);

const weightedPodAffinityTerm = object(
  {
    podAffinityTerm: always(podAffinityTerm),
    weight: always(int32()),
  },
  ["weight", "podAffinityTerm"],
);

const podAffinity = object({
  preferredDuringSchedulingIgnoredDuringExecution: list(weightedPodAffinityTerm),
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
});

const podAntiAffinity = object({
  preferredDuringSchedulingIgnoredDuringExecution: list(weightedPodAffinityTerm),
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
});

export const affinity = object({
  nodeAffinity,
  podAffinity,
  podAntiAffinity,
});

export const toleration = object({
  effect: choice("NoExecute", "NoSchedule", "PreferNoSchedule"),
  key: text(),
  operator: choice("Equal", "Exists", "Gt", "Lt"),
  tolerationSeconds: kept(int64()),
  value: text(),
});

export const topologySpreadConstraint = object(
  {
    labelSelector,
    matchLabelKeys: list(text()),
    maxSkew: always(int32()),
    minDomains: kept(int32()),
    nodeAffinityPolicy: kept(choice("Honor", "Ignore")),
    nodeTaintsPolicy: kept(choice("Honor", "Ignore")),
    topologyKey: always(text()),
    whenUnsatisfiable: always(choice("DoNotSchedule", "ScheduleAnyway")),
  },
  ["maxSkew", "topologyKey", "whenUnsatisfiable"],
);
