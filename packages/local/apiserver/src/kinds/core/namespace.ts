/** Namespaces. One that is to go stays until its content is gone: `spec.finalizers` says so. */
import { type FieldError, invalid } from "../../errors/field-error.ts";
import type { AnyObject } from "../../registry/resource.ts";
import { labelProblems, qualifiedNameProblems } from "../../schema/metadata/names.ts";
import { builtIn, inStoredForm } from "../built-in.ts";
import { ageColumn, column, nameColumn, textAt } from "../columns.ts";
import { always, choice, list, listMap, object, text, time } from "../shapes.ts";

interface Namespace {
  metadata: { deletionTimestamp?: string };
  spec: { finalizers?: string[] };
  status: { phase?: string };
}

const condition = object(
  {
    type: always(text()),
    status: always(text()),
    lastTransitionTime: always(time()),
    reason: text(),
    message: text(),
  },
  ["type", "status"],
);

const schema = object({
  spec: always(object({ finalizers: list(text()) })),
  status: always(object({ phase: choice("Active", "Terminating"), conditions: listMap(["type"], condition, "type") })),
});

export const namespaces = builtIn({
  resource: "namespaces",
  kind: "Namespace",
  namespaced: false,
  shortNames: ["ns"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  schema,
  columns: [
    nameColumn,
    column("Status", "Whether it is in use or on its way out.", (object) => textAt(object, "status", "phase")),
    ageColumn,
  ],
  selectableFields: { "status.phase": (object) => textAt(object, "status", "phase") },
  subresources: { finalize: { group: "", version: "v1", kind: "Namespace", verbs: ["update"] } },
  strategy: {
    hasStatus: true,
    fillIn: inStoredForm(schema, (draft) => {
      labelWithName(draft);
      (draft as unknown as Namespace).status.phase ??= "Active";
    }),
    prepare(draft, old) {
      // Once more: where the server makes the name, it is not known before.
      labelWithName(draft);
      const namespace = draft as unknown as Namespace;
      if (old) {
        // Who may remove its finalizers does so through `finalize`.
        namespace.spec = structuredClone((old as unknown as Namespace).spec);
        return;
      }
      const finalizers = namespace.spec.finalizers ?? [];
      namespace.spec.finalizers = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
      namespace.status = { phase: "Active" };
    },
    validate(object, old, subresource) {
      const namespace = object as unknown as Namespace;
      if (subresource === "status") return phaseErrors(namespace);
      if (old && subresource !== "finalize") return [];
      const finalizers = namespace.spec.finalizers ?? [];
      return finalizers.flatMap((name, i) => finalizerErrors(old ? `spec.finalizers[${i}]` : "spec.finalizers", name));
    },
    nameProblems: labelProblems,
  },
});

/** So that network policies can select a namespace by its name. */
function labelWithName({ metadata }: AnyObject): void {
  if (metadata.name) metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
}

function phaseErrors({ metadata, status }: Namespace): FieldError[] {
  const isLeaving = metadata.deletionTimestamp !== undefined;
  if (status.phase === (isLeaving ? "Terminating" : "Active")) return [];
  const rule = isLeaving
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalid("status.Phase", status.phase ?? "", rule)];
}

const standardFinalizers = ["kubernetes", "orphan", "foregroundDeletion"];

function finalizerErrors(field: string, name: string): FieldError[] {
  const errors = qualifiedNameProblems(name).map((problem) => invalid(field, name, problem));
  if (!name.includes("/") && !standardFinalizers.includes(name))
    errors.push(invalid(field, name, "name is neither a standard finalizer name nor is it fully qualified"));
  return errors;
}
