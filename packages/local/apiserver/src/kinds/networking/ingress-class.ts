/** Ingress classes: who acts on which ingresses. */
import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from "../../errors/field-error.ts";
import { labelProblems, subdomainProblems } from "../../schema/metadata/names.ts";
import { builtIn, inStoredForm } from "../built-in.ts";
import { each } from "../checks/field-rules.ts";
import { httpPathProblems } from "../checks/names.ts";
import { ageColumn, column, nameColumn } from "../columns.ts";
import { always, kept, object, text } from "../shapes.ts";
import { segmentErrors } from "./ingress-validation.ts";

interface Parameters {
  apiGroup?: string;
  kind: string;
  name: string;
  scope: string;
  namespace?: string;
}

interface ClassSpec {
  controller?: string;
  parameters?: Parameters;
}

const schema = object({
  spec: always(
    object({
      controller: text(),
      parameters: object(
        {
          apiGroup: kept(text()),
          kind: always(text()),
          name: always(text()),
          scope: kept(text()),
          namespace: kept(text()),
        },
        ["kind", "name"],
      ),
    }),
  ),
});

const longestController = 250;

export const ingressClasses = builtIn({
  group: "networking.k8s.io",
  resource: "ingressclasses",
  kind: "IngressClass",
  namespaced: false,
  schema,
  columns: [
    {
      ...nameColumn,
      value: ({ metadata }) =>
        metadata.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true"
          ? `${metadata.name} (default)`
          : metadata.name,
    },
    column("Controller", "Who acts on it.", (object) => specOf(object).controller ?? ""),
    column("Parameters", "Where more is said about it.", (object) => showParameters(specOf(object).parameters)),
    ageColumn,
  ],
  strategy: {
    hasGeneration: true,
    fillIn: inStoredForm(schema, (draft) => {
      const { parameters } = specOf(draft);
      if (parameters) parameters.scope ??= "Cluster";
    }),
    validate(object, old) {
      const spec = specOf(object);
      const isMoved = old && specOf(old).controller !== spec.controller;
      return [
        ...(isMoved ? [invalid("spec.controller", spec.controller ?? "", "field is immutable")] : []),
        ...controllerErrors(spec.controller ?? ""),
        ...(spec.parameters ? parameterErrors(spec.parameters) : []),
      ];
    },
  },
});

function specOf(object: unknown): ClassSpec {
  return (object as { spec: ClassSpec }).spec;
}

function showParameters(parameters: Parameters | undefined): string {
  if (!parameters) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return apiGroup === undefined ? `${kind}/${name}` : `${kind}.${apiGroup}/${name}`;
}

/** `example.com/controller` */
function controllerErrors(controller: string): FieldError[] {
  const field = "spec.controller";
  const errors = Buffer.byteLength(controller) > longestController ? [tooLong(field, longestController)] : [];
  if (controller === "") return [...errors, required(field)];
  const slash = controller.indexOf("/");
  const [domain, path] = [controller.slice(0, Math.max(slash, 0)), controller.slice(slash + 1)];
  if (domain === "" || path === "")
    return [...errors, invalid(field, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [...errors, ...each(field, domain, subdomainProblems(domain)), ...each(field, path, httpPathProblems(path))];
}

function parameterErrors({ apiGroup, kind, name, scope, namespace }: Parameters): FieldError[] {
  const at = "spec.parameters";
  const errors = [
    ...(apiGroup === undefined ? [] : each(`${at}.apiGroup`, apiGroup, subdomainProblems(apiGroup))),
    ...segmentErrors(`${at}.kind`, kind),
    ...segmentErrors(`${at}.name`, name),
  ];
  if (scope === "Namespace") {
    if (namespace === undefined) errors.push(required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'"));
    else errors.push(...each(`${at}.namespace`, namespace, labelProblems(namespace)));
  } else if (scope !== "Cluster") errors.push(notSupported(`${at}.scope`, scope, ["Cluster", "Namespace"]));
  else if (namespace !== undefined) errors.push(forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  return errors;
}
