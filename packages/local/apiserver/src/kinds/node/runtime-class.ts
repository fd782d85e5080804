/** Runtime classes: in what pods run that name one, such as a sandbox. */
import { type FieldError, invalid, required } from "../../errors/field-error.ts";
import type { AnyObject, AnyStoredObject } from "../../registry/resource.ts";
import { labelProblems } from "../../schema/metadata/names.ts";
import { builtIn } from "../built-in.ts";
import { ageColumn, column, nameColumn } from "../columns.ts";
import { always, atomicMapOf, list, mapOf, object, quantity, text } from "../shapes.ts";
import { toleration } from "../workloads/shapes/scheduling.ts";

const schema = object(
  {
    handler: always(text()),
    overhead: object({ podFixed: mapOf(quantity()) }),
    scheduling: object({ nodeSelector: atomicMapOf(text()), tolerations: list(toleration) }),
  },
  ["handler"],
);

const handlerOf = (object: AnyObject) => (object as { handler?: string }).handler ?? "";

export const runtimeClasses = builtIn({
  group: "node.k8s.io",
  resource: "runtimeclasses",
  kind: "RuntimeClass",
  namespaced: false,
  schema,
  columns: [nameColumn, column("Handler", "What the node calls it.", handlerOf), ageColumn],
  strategy: { validate },
});

function validate(object: AnyObject, old: AnyStoredObject | undefined): FieldError[] {
  const handler = handlerOf(object);
  const errors =
    handler === ""
      ? [required("handler")]
      : labelProblems(handler).map((problem) => invalid("handler", handler, problem));
  if (old && handlerOf(old) !== handler) errors.push(invalid("handler", handler, "field is immutable"));
  return errors;
}
