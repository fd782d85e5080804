/** Deployments: replica sets that follow one another. */

import { jsonEqual, type ObjectMeta } from "@berg/apimachinery";
import { type FieldError, forbidden, invalid, notSupported } from "../../errors/field-error.ts";
import type { ServedResource, Strategy } from "../../registry/resource.ts";
import { atMostAll, type IntOrPercent, intOrPercent, notNegative } from "../checks/field-rules.ts";
import { ageColumn, nameColumn, selectorText } from "../columns.ts";
import { served } from "../served.ts";
import { always, object } from "../shapes.ts";
import { toStoredForm } from "../stored-form.ts";
import { containerImages, containerNames } from "./columns.ts";
import { templateWarnings } from "./pod/warnings.ts";
import {
  fillInReplicas,
  type ReplicasSpec,
  type ReplicasStatus,
  replicaCounts,
  sameSelector,
  scaleSubresource,
  selectorAndTemplate,
} from "./replicas.ts";
import { deploymentSpec, deploymentStatus } from "./shapes/apps.ts";
import { asA } from "./types.ts";

interface RollingUpdate {
  maxUnavailable?: IntOrPercent;
  maxSurge?: IntOrPercent;
}

interface Deployment {
  metadata: ObjectMeta;
  spec: ReplicasSpec & {
    strategy: { type?: string; rollingUpdate?: RollingUpdate };
    revisionHistoryLimit?: number;
    progressDeadlineSeconds?: number;
  };
  status: ReplicasStatus & { updatedReplicas?: number; unavailableReplicas?: number; collisionCount?: number };
}

const schema = object({ spec: always(deploymentSpec), status: always(deploymentStatus) });

const strategy: Strategy = {
  hasStatus: true,
  hasGeneration: true,
  fillIn(draft) {
    toStoredForm(draft, schema);
    const { spec } = asA<Deployment>(draft);
    fillInReplicas(spec);
    spec.strategy.type ??= "RollingUpdate";
    if (spec.strategy.type === "RollingUpdate")
      spec.strategy.rollingUpdate = { maxUnavailable: "25%", maxSurge: "25%", ...spec.strategy.rollingUpdate };
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },
  prepare(draft, old) {
    if (!old) asA<Deployment>(draft).status = {};
    // Annotations are copied to the replica sets, and so are part of what is wanted.
    else if (!jsonEqual(draft.metadata.annotations ?? {}, old.metadata.annotations ?? {}))
      draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  prepareStatus(draft, old) {
    delete draft.metadata.labels;
    if (old.metadata.labels) draft.metadata.labels = old.metadata.labels;
  },
  validate(draft, old, subresource) {
    const deployment = asA<Deployment>(draft);
    if (subresource === "status") return statusErrors(deployment, old && asA<Deployment>(old));
    const errors = specErrors(deployment);
    if (!old) return errors;
    return [...errors, ...sameSelector(deployment.spec, asA<Deployment>(old).spec)];
  },
  warnings(draft, old) {
    const { metadata, spec } = asA<Deployment>(draft);
    // Annotations count as a change, too.
    if (old && metadata.generation === old.metadata.generation) return [];
    return templateWarnings(old ? "unchanged" : metadata.name, "spec.template.spec", spec.template.spec);
  },
};

function specErrors({ spec }: Deployment): FieldError[] {
  const { minReadySeconds = 0, revisionHistoryLimit, progressDeadlineSeconds: deadline } = spec;
  const errors = [
    ...notNegative("spec.replicas", spec.replicas),
    ...selectorAndTemplate(spec),
    ...strategyErrors("spec.strategy", spec.strategy),
    ...notNegative("spec.minReadySeconds", minReadySeconds),
    ...notNegative("spec.revisionHistoryLimit", revisionHistoryLimit),
    ...notNegative("spec.progressDeadlineSeconds", deadline),
  ];
  if (deadline !== undefined && deadline <= minReadySeconds)
    errors.push(invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
  return errors;
}

function strategyErrors(path: string, given: Deployment["spec"]["strategy"]): FieldError[] {
  const { type, rollingUpdate } = given;
  switch (type) {
    case "Recreate": {
      const text = "may not be specified when strategy `type` is 'Recreate'";
      return rollingUpdate ? [forbidden(`${path}.rollingUpdate`, text)] : [];
    }
    case "RollingUpdate":
      return rollingErrors(`${path}.rollingUpdate`, rollingUpdate ?? {});
    default:
      // Kubernetes shows its own struct here.
      return [notSupported(path, { Type: type, RollingUpdate: asShown(rollingUpdate) }, ["Recreate", "RollingUpdate"])];
  }
}

function asShown(rolling: RollingUpdate | undefined): object | null {
  return rolling ? { MaxUnavailable: rolling.maxUnavailable ?? 0, MaxSurge: rolling.maxSurge ?? 0 } : null;
}

function rollingErrors(path: string, { maxUnavailable = 0, maxSurge = 0 }: RollingUpdate): FieldError[] {
  const errors = [
    ...intOrPercent(`${path}.maxUnavailable`, maxUnavailable),
    ...intOrPercent(`${path}.maxSurge`, maxSurge),
  ];
  if (isNone(maxUnavailable) && isNone(maxSurge))
    errors.push(invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
  return [...errors, ...atMostAll(`${path}.maxUnavailable`, maxUnavailable)];
}

/** A text that is no number counts as none. */
function isNone(value: IntOrPercent): boolean {
  const number = typeof value === "number" ? value : Number(/^([+-]?\d+)%?$/.exec(value)?.[1] ?? 0);
  return number === 0;
}

function statusErrors({ status }: Deployment, old: Deployment | undefined): FieldError[] {
  const { collisionCount } = status;
  const before = old?.status.collisionCount;
  const errors = replicaCounts(
    status,
    [
      ...(["observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas"] as const),
      ...(["unavailableReplicas", "terminatingReplicas", "collisionCount"] as const),
    ],
    ["updatedReplicas", "readyReplicas", "availableReplicas"],
  );
  if (before !== undefined && (collisionCount === undefined || collisionCount < before))
    errors.push(invalid("status.collisionCount", collisionCount ?? 0, "cannot be decremented"));
  return errors;
}

export const deployments: ServedResource = served({
  group: "apps",
  version: "v1",
  resource: "deployments",
  kind: "Deployment",
  shortNames: ["deploy"],
  categories: ["all"],
  namespaced: true,
  schema,
  strategy,
  subresources: { scale: scaleSubresource },
  columns: [
    nameColumn,
    {
      name: "Ready",
      type: "string",
      description: "Number of the pod with ready state",
      priority: 0,
      value: (object) => {
        const { spec, status } = asA<Deployment>(object);
        return `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`;
      },
    },
    {
      name: "Up-to-date",
      type: "string",
      description: "How many of its pods are made from the newest template.",
      priority: 0,
      value: (object) => asA<Deployment>(object).status.updatedReplicas ?? 0,
    },
    {
      name: "Available",
      type: "string",
      description: "How many of its pods have been ready for long enough.",
      priority: 0,
      value: (object) => asA<Deployment>(object).status.availableReplicas ?? 0,
    },
    ageColumn,
    {
      name: "Containers",
      type: "string",
      description: "Names of each container in the template.",
      priority: 1,
      value: (object) => containerNames(asA<Deployment>(object).spec.template.spec.containers),
    },
    {
      name: "Images",
      type: "string",
      description: "Images referenced by each container in the template.",
      priority: 1,
      value: (object) => containerImages(asA<Deployment>(object).spec.template.spec.containers),
    },
    {
      name: "Selector",
      type: "string",
      description: "The labels by which it finds its pods.",
      priority: 1,
      value: (object) => selectorText(asA<Deployment>(object).spec.selector),
    },
  ],
});
