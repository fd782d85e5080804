/** Controller revisions: what something looked like once, kept as it was. */

import type { ObjectMeta } from "@berg/apimachinery";
import { type FieldError, required } from "../../errors/field-error.ts";
import type { ServedResource, Strategy } from "../../registry/resource.ts";
import { notNegative, unchanged } from "../checks/field-rules.ts";
import { ageColumn, nameColumn } from "../columns.ts";
import { served } from "../served.ts";
import { always, anything, int64, object } from "../shapes.ts";
import { toStoredForm } from "../stored-form.ts";
import { asA } from "./types.ts";

interface ControllerRevision {
  metadata: ObjectMeta;
  revision: number;
  data: unknown;
}

const schema = object({ data: always(anything()), revision: always(int64()) }, ["revision"]);

const strategy: Strategy = {
  hasStatus: false,
  hasGeneration: false,
  fillIn: (draft) => toStoredForm(draft, schema),
  validate(draft, old) {
    const { revision, data } = asA<ControllerRevision>(draft);
    const errors = notNegative("revision", revision);
    if (old) return [...errors, ...unchanged("data", data, asA<ControllerRevision>(old).data)];
    return [...errors, ...dataErrors(data)];
  },
};

function dataErrors(data: unknown): FieldError[] {
  if (data === null || data === undefined) return [required("data", "data is mandatory")];
  if (typeof data === "object" && !Array.isArray(data)) return [];
  return [required("data", "data must be a valid JSON object")];
}

function controllerOf({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return "<none>";
  const [group] = owner.apiVersion.includes("/") ? owner.apiVersion.split("/") : [""];
  const kind = owner.kind.toLowerCase();
  return `${group ? `${kind}.${group}` : kind}/${owner.name}`;
}

export const controllerRevisions: ServedResource = served({
  group: "apps",
  version: "v1",
  resource: "controllerrevisions",
  kind: "ControllerRevision",
  namespaced: true,
  schema,
  strategy,
  columns: [
    nameColumn,
    {
      name: "Controller",
      type: "string",
      description: "Controller of the object",
      priority: 0,
      value: (object) => controllerOf(asA(object)),
    },
    {
      name: "Revision",
      type: "string",
      description: "The higher, the newer.",
      priority: 0,
      value: (object) => asA<ControllerRevision>(object).revision,
    },
    ageColumn,
  ],
});
