/** Replica sets: a number of pods that are all the same. */

import { jsonEqual, type ObjectMeta } from "@berg/apimachinery";
import type { Column, ServedResource, Strategy } from "../../registry/resource.ts";
import { notNegative } from "../checks/field-rules.ts";
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
import { replicaSetSpec, replicaSetStatus } from "./shapes/apps.ts";
import { asA } from "./types.ts";

interface ReplicaSet {
  metadata: ObjectMeta;
  spec: ReplicasSpec;
  status: ReplicasStatus & { fullyLabeledReplicas?: number };
}

const schema = object({ spec: always(replicaSetSpec), status: always(replicaSetStatus) });

const strategy: Strategy = {
  hasStatus: true,
  hasGeneration: true,
  fillIn(draft) {
    toStoredForm(draft, schema);
    fillInReplicas(asA<ReplicaSet>(draft).spec);
  },
  prepare(draft, old) {
    if (!old) asA<ReplicaSet>(draft).status = { replicas: 0 };
  },
  validate(draft, old, subresource) {
    const { spec, status } = asA<ReplicaSet>(draft);
    if (subresource === "status")
      return replicaCounts(
        status,
        [
          ...(["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const),
          ...(["observedGeneration", "terminatingReplicas"] as const),
        ],
        ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
      );
    const errors = [
      ...notNegative("spec.replicas", spec.replicas),
      ...notNegative("spec.minReadySeconds", spec.minReadySeconds),
      ...selectorAndTemplate(spec),
    ];
    return old ? [...errors, ...sameSelector(spec, asA<ReplicaSet>(old).spec)] : errors;
  },
  warnings(draft, old) {
    const { metadata, spec } = asA<ReplicaSet>(draft);
    if (old && jsonEqual(spec, old.spec)) return [];
    return templateWarnings(old ? "unchanged" : metadata.name, "spec.template.spec", spec.template.spec);
  },
};

function column(
  name: string,
  type: "integer" | "string",
  description: string,
  value: (replicaSet: ReplicaSet) => string | number | undefined,
): Column {
  return { name, type, description, priority: type === "integer" ? 0 : 1, value: (object) => value(asA(object)) };
}

export const replicaSets: ServedResource = served({
  group: "apps",
  version: "v1",
  resource: "replicasets",
  kind: "ReplicaSet",
  shortNames: ["rs"],
  categories: ["all"],
  namespaced: true,
  schema,
  strategy,
  subresources: { scale: scaleSubresource },
  selectableFields: { "status.replicas": (object) => `${asA<ReplicaSet>(object).status.replicas ?? 0}` },
  columns: [
    nameColumn,
    column("Desired", "integer", "How many pods there should be.", ({ spec }) => spec.replicas ?? 0),
    column("Current", "integer", "How many pods there are.", ({ status }) => status.replicas ?? 0),
    column("Ready", "integer", "How many of them are ready.", ({ status }) => status.readyReplicas ?? 0),
    ageColumn,
    column("Containers", "string", "Names of each container in the template.", ({ spec }) =>
      containerNames(spec.template.spec.containers),
    ),
    column("Images", "string", "Images referenced by each container in the template.", ({ spec }) =>
      containerImages(spec.template.spec.containers),
    ),
    column("Selector", "string", "The labels by which it finds its pods.", ({ spec }) => selectorText(spec.selector)),
  ],
});
