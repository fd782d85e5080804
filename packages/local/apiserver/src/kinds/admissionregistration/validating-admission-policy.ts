/** Policies: what may be written, in expressions that admission runs. Here is what they are; there, what they do. */
import { builtIn, inStoredForm } from "../built-in.ts";
import { ageColumn, column, nameColumn } from "../columns.ts";
import { always, atomicObject, choice, int64, kept, list, listMap, object, text } from "../shapes.ts";
import { condition } from "../workloads/shapes/meta.ts";
import { fillInMatchResources, matchResources } from "./match-resources.ts";
import { policyErrors } from "./policy-rules.ts";
import { policyStatusErrors } from "./policy-status.ts";
import { type PolicySpec, policySpecOf } from "./types.ts";

const named = { name: always(text()), expression: always(text()) };

const spec = object({
  paramKind: atomicObject({ apiVersion: text(), kind: text() }),
  matchConstraints: matchResources,
  validations: list(
    object({ expression: always(text()), message: text(), reason: kept(text()), messageExpression: text() }, [
      "expression",
    ]),
  ),
  failurePolicy: kept(choice("Fail", "Ignore")),
  auditAnnotations: list(object({ key: always(text()), valueExpression: always(text()) }, ["key", "valueExpression"])),
  matchConditions: listMap(["name"], object(named, ["name", "expression"]), "name"),
  variables: listMap(["name"], atomicObject(named, ["name", "expression"]), "name"),
});

const status = object({
  observedGeneration: int64(),
  typeChecking: object({
    expressionWarnings: list(object({ fieldRef: always(text()), warning: always(text()) }, ["fieldRef", "warning"])),
  }),
  conditions: listMap(["type"], condition),
});

const schema = object({ spec: always(spec), status: always(status) });

export const validatingAdmissionPolicies = builtIn({
  group: "admissionregistration.k8s.io",
  resource: "validatingadmissionpolicies",
  kind: "ValidatingAdmissionPolicy",
  namespaced: false,
  categories: ["api-extensions"],
  schema,
  columns: [
    nameColumn,
    {
      ...column(
        "Validations",
        "How many conditions it has.",
        (object) => policySpecOf(object).validations?.length ?? 0,
      ),
      type: "integer",
    },
    column("ParamKind", "Of what kind its parameters are.", (object) => shownParamKind(policySpecOf(object))),
    ageColumn,
  ],
  strategy: {
    hasStatus: true,
    hasGeneration: true,
    needsVersion: true,
    fillIn: inStoredForm(schema, (draft) => {
      const spec = policySpecOf(draft);
      spec.failurePolicy ??= "Fail";
      fillInMatchResources(spec.matchConstraints);
    }),
    validate: (draft, _, subresource) => (subresource === "status" ? policyStatusErrors(draft) : policyErrors(draft)),
  },
});

function shownParamKind({ paramKind }: PolicySpec): string {
  return paramKind ? `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}` : "<unset>";
}
