/** How parts of a pod name other objects, and what they need of a node. */
import { always, atomicObject, bool, kept, listMap, mapOf, object, quantity, text } from "../../shapes.ts";

export const localObjectReference = atomicObject({
  name: text(),
});

export const objectReference = atomicObject({
  apiVersion: text(),
  fieldPath: text(),
  kind: text(),
  name: text(),
  namespace: text(),
  resourceVersion: text(),
  uid: text(),
});

export const configMapKeySelector = atomicObject(
  {
    key: always(text()),
    name: text(),
    optional: kept(bool()),
  },
  ["key"],
);

export const secretKeySelector = atomicObject(
  {
    key: always(text()),
    name: text(),
    optional: kept(bool()),
  },
  ["key"],
);

export const objectFieldSelector = atomicObject(
  {
    apiVersion: text(),
    fieldPath: always(text()),
  },
  ["fieldPath"],
);

export const resourceFieldSelector = atomicObject(
  {
    containerName: text(),
    divisor: always(quantity()),
    resource: always(text()),
  },
  ["resource"],
);

export const fileKeySelector = atomicObject(
  {
    key: always(text()),
    optional: kept(bool()),
    path: always(text()),
    volumeName: always(text()),
  },
  ["volumeName", "path", "key"],
);

const resourceClaim = object(
  {
    name: always(text()),
    request: text(),
  },
  ["name"],
);

export const resourceRequirements = object({
  claims: listMap(["name"], resourceClaim),
  limits: mapOf(quantity()),
  requests: mapOf(quantity()),
});
