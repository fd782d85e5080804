/** How much room a storage class has where. */
import { jsonEqual, type LabelSelector } from "@berg/apimachinery";
import { type FieldError, invalid } from "../../errors/field-error.ts";
import { subdomainProblems } from "../../schema/metadata/names.ts";
import { builtIn } from "../built-in.ts";
import { labelSelector as selectorErrors } from "../checks/field-rules.ts";
import { createdAtColumn, nameColumn } from "../columns.ts";
import { readQuantity } from "../core/resource-names.ts";
import { always, object, quantity, text } from "../shapes.ts";
import { labelSelector } from "../workloads/shapes/meta.ts";

interface Capacity {
  nodeTopology?: LabelSelector;
  storageClassName: string;
  capacity?: string;
}

export const csiStorageCapacities = builtIn({
  group: "storage.k8s.io",
  resource: "csistoragecapacities",
  kind: "CSIStorageCapacity",
  schema: object(
    {
      nodeTopology: labelSelector,
      storageClassName: always(text()),
      capacity: quantity(),
      maximumVolumeSize: quantity(),
    },
    ["storageClassName"],
  ),
  columns: [nameColumn, createdAtColumn],
  strategy: {
    needsVersion: true,
    validate(object, old) {
      const before = old && (old as unknown as Capacity);
      return errorsIn(object as unknown as Capacity, before);
    },
  },
});

function errorsIn({ nodeTopology, storageClassName, capacity }: Capacity, old: Capacity | undefined): FieldError[] {
  const errors = [
    ...selectorErrors("nodeTopology", nodeTopology),
    ...subdomainProblems(storageClassName).map((problem) => invalid("storageClassName", storageClassName, problem)),
  ];
  if (capacity !== undefined && readQuantity(capacity).nanos < 0n)
    errors.push(invalid("capacity", capacity, "must be greater than or equal to 0"));
  if (!old) return errors;
  if (!jsonEqual(nodeTopology ?? null, old.nodeTopology ?? null))
    errors.push(invalid("nodeTopology", nodeTopology, "field is immutable"));
  if (storageClassName !== old.storageClassName)
    errors.push(invalid("storageClassName", storageClassName, "field is immutable"));
  return errors;
}
