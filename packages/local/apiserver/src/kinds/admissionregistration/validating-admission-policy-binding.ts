/** Bindings: where a policy holds, with which parameters, and what comes of breaking it. */
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from "../../errors/field-error.ts";
import { pathSegmentProblems, subdomainProblems } from "../../schema/metadata/names.ts";
import { builtIn, inStoredForm } from "../built-in.ts";
import { each, labelSelector as selectorErrors } from "../checks/field-rules.ts";
import { ageColumn, column, nameColumn } from "../columns.ts";
import { always, atomicObject, choice, kept, object, setOf, text } from "../shapes.ts";
import { labelSelector } from "../workloads/shapes/meta.ts";
import { fillInMatchResources, matchResources, matchResourcesErrors } from "./match-resources.ts";
import { type BindingSpec, bindingSpecOf, type ParamRef } from "./types.ts";

const actions = ["Audit", "Deny", "Warn"];

const spec = object(
  {
    policyName: text(),
    paramRef: atomicObject({
      name: text(),
      namespace: text(),
      selector: labelSelector,
      parameterNotFoundAction: kept(text()),
    }),
    matchResources,
    validationActions: setOf(choice(...actions)),
  },
  ["policyName", "validationActions"],
);

const schema = object({ spec: always(spec) }, ["spec"]);

export const validatingAdmissionPolicyBindings = builtIn({
  group: "admissionregistration.k8s.io",
  resource: "validatingadmissionpolicybindings",
  kind: "ValidatingAdmissionPolicyBinding",
  namespaced: false,
  categories: ["api-extensions"],
  schema,
  columns: [
    nameColumn,
    column("PolicyName", "The policy that it puts in force.", (object) => bindingSpecOf(object).policyName ?? ""),
    column("ParamRef", "Where its parameters are.", (object) => shownParamRef(bindingSpecOf(object).paramRef)),
    ageColumn,
  ],
  strategy: {
    hasGeneration: true,
    needsVersion: true,
    fillIn: inStoredForm(schema, (draft) => fillInMatchResources(bindingSpecOf(draft).matchResources)),
    validate: (draft) => bindingErrors(bindingSpecOf(draft)),
  },
});

function shownParamRef(ref: ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || "*"}/${ref.name}`;
  return ref?.selector ? shownSelector(ref.selector) : "<unset>";
}

/** As Go prints the struct. */
function shownSelector({ matchLabels = {}, matchExpressions = [] }: NonNullable<ParamRef["selector"]>): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`)
    .join("");
  const expressions = matchExpressions
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],}`,
    )
    .map((text) => `${text},`)
    .join("");
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

function bindingErrors(spec: BindingSpec): FieldError[] {
  const { policyName = "" } = spec;
  return [
    ...(policyName === ""
      ? [required("spec.policyName")]
      : each("spec.policyName", policyName, subdomainProblems(policyName))),
    ...paramRefErrors(spec.paramRef),
    ...matchResourcesErrors(spec.matchResources, "spec.matchResources"),
    ...actionErrors(spec.validationActions ?? []),
  ];
}

function paramRefErrors(ref: ParamRef | undefined): FieldError[] {
  if (!ref) return [];
  const at = "spec.paramRef";
  const { name = "", selector, parameterNotFoundAction: action = "" } = ref;
  const both = "name and selector are mutually exclusive";
  const errors: FieldError[] = [];
  if (name !== "") errors.push(...each(`${at}.name`, name, pathSegmentProblems(name)));
  if (name !== "" && selector) errors.push(forbidden(`${at}.name`, both));
  if (selector) errors.push(...selectorErrors(`${at}.selector`, selector));
  if (name !== "" && selector) errors.push(forbidden(`${at}.selector`, both));
  if (name === "" && !selector) errors.push(required(at, "one of name or selector must be specified"));
  if (action === "") errors.push(required(`${at}.parameterNotFoundAction`));
  else if (action !== "Deny" && action !== "Allow")
    errors.push(notSupported(`${at}.parameterNotFoundAction`, action, ["Deny", "Allow"]));
  return errors;
}

function actionErrors(given: readonly string[]): FieldError[] {
  const at = "spec.validationActions";
  const errors = given.flatMap((action, i) => [
    ...(actions.includes(action) ? [] : [notSupported(`${at}[${i}]`, action, actions)]),
    ...(given.indexOf(action) < i ? [duplicate(`${at}[${i}]`, action)] : []),
  ]);
  const why =
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
  if (given.includes("Deny") && given.includes("Warn")) errors.push(invalid(at, given, why));
  if (given.length === 0) errors.push(required(at, "at least one validation action is required"));
  return errors;
}
