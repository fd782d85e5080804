/** What belongs to the server, whoever sent it. */
import { FieldSet } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

const ofMetadata = [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
];

export const neverOwned = FieldSet.of(
  ...["apiVersion", "kind", "metadata"].map((name) => [fieldElement(name)]),
  ...ofMetadata.map((name) => [fieldElement("metadata"), fieldElement(name)]),
);
