/** The bodies of subresources and of deletions. */
import { always, bool, int32, int64, kept, list, object, text } from "../shapes.ts";
import { objectReference } from "../workloads/shapes/references.ts";

export const deleteOptionsShape = object({
  gracePeriodSeconds: kept(int64()),
  preconditions: object({ uid: kept(text()), resourceVersion: kept(text()) }),
  orphanDependents: kept(bool()),
  propagationPolicy: kept(text()),
  dryRun: list(text()),
  ignoreStoreReadErrorWithClusterBreakingPotential: kept(bool()),
});

export const evictionShape = object({
  deleteOptions: object({ apiVersion: text(), kind: text(), ...deleteOptionsShape.properties }),
});

export const bindingShape = object({ target: always(objectReference) }, ["target"]);

export const scaleShape = object({
  spec: always(object({ replicas: always(int32()) })),
  status: always(object({ replicas: always(int32()), selector: text() }, ["replicas"])),
});
