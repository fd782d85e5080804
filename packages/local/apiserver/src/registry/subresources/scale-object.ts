/** The Scale that an object can be seen as. */
import { compileLabelSelector, type LabelSelector } from "@berg/apimachinery";
import { isObject, partOf } from "../json.ts";
import { isCustom } from "../registry.ts";
import type { AnyObject, ScalePaths, ServedResource } from "../resource.ts";

const replicas = { type: "integer", format: "int32" } as const;

/** Never listed or stored: what its bodies look like. */
export const scales: ServedResource = {
  group: "autoscaling",
  version: "v1",
  resource: "scales",
  singular: "scale",
  kind: "Scale",
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: [],
  storedAs: "scales.autoscaling",
  storedVersion: "autoscaling/v1",
  schema: {
    type: "object",
    properties: {
      spec: { type: "object", properties: { replicas } },
      status: { type: "object", properties: { replicas, selector: { type: "string" } } },
    },
  },
  columns: [],
  selectableFields: {},
  strategy: { hasStatus: false, hasGeneration: false },
  subresources: {},
};

const usual: ScalePaths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };

export function pathsOf({ subresources }: ServedResource): ScalePaths {
  return subresources.scale?.paths ?? usual;
}

export function scaleOf(resource: ServedResource, object: AnyObject): AnyObject {
  const { specReplicasPath, statusReplicasPath } = pathsOf(resource);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const wanted = numberAt(object, specReplicasPath);
  const selector = selectorOf(resource, object);
  return {
    kind: scales.kind,
    apiVersion: scales.storedVersion,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as AnyObject["metadata"],
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas: numberAt(object, statusReplicasPath), ...(selector && { selector }) },
  };
}

function selectorOf(resource: ServedResource, object: AnyObject): string {
  const { labelSelectorPath } = pathsOf(resource);
  if (labelSelectorPath !== undefined) {
    const text = valueAt(object, labelSelectorPath);
    return typeof text === "string" ? text : "";
  }
  if (isCustom(resource)) return "";
  const { selector } = partOf(object, "spec");
  return isObject(selector) ? compileLabelSelector(selector as LabelSelector).toString() : "";
}

function numberAt(object: AnyObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : 0;
}

function valueAt(object: AnyObject, path: string): unknown {
  return stepsOf(path).reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), object);
}

/** Makes what is missing on the way. */
export function setAt(draft: AnyObject, path: string, value: unknown): void {
  const steps = stepsOf(path);
  const last = steps.pop() as string;
  let parent: Record<string, unknown> = draft;
  for (const step of steps) {
    if (!isObject(parent[step])) parent[step] = {};
    parent = parent[step] as Record<string, unknown>;
  }
  parent[last] = value;
}

function stepsOf(path: string): string[] {
  return path.split(".").filter((step) => step !== "");
}
