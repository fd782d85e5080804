/** Whether a CustomResourceDefinition may be, in the words of kube-apiserver. */
import { type FieldError, invalid, notSupported, required } from "../errors/field-error.ts";
import { subdomainProblems } from "../schema/metadata/names.ts";
import { approvalField, approvalOf } from "./approval.ts";
import {
  type Definition,
  type DefinitionDraft,
  type DefinitionSpec,
  isTrue,
  type StoredDefinition,
  versionsOf,
} from "./definition.ts";
import { missingNames, nameErrors } from "./names.ts";
import { missingSchemas, versionErrors } from "./versions.ts";

export function definitionErrors(crd: DefinitionDraft, old: StoredDefinition | undefined): FieldError[] {
  const { spec, metadata } = crd;
  return [
    ...(old || metadata.name === `${spec.names?.plural}.${spec.group}`
      ? []
      : [invalid("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...specErrors(spec),
    ...(old ? changeErrors(spec, old) : []),
    ...statusErrors(crd),
    ...storedVersionErrors(crd),
    ...approvalErrors(crd, old),
    ...(spec.preserveUnknownFields && !old?.spec.preserveUnknownFields ? [preservesUnknown] : []),
  ];
}

export function statusErrors({ status }: Definition): FieldError[] {
  return nameErrors(status?.acceptedNames ?? {}, "status.acceptedNames");
}

function specErrors(spec: DefinitionSpec): FieldError[] {
  return [
    ...groupErrors(spec.group),
    ...(!spec.scope
      ? [required("spec.scope")]
      : ["Cluster", "Namespaced"].includes(spec.scope)
        ? []
        : [notSupported("spec.scope", spec.scope, ["Cluster", "Namespaced"])]),
    ...missingSchemas(spec),
    ...versionErrors(spec),
    ...missingNames(spec.names, "spec.names"),
    ...nameErrors(spec.names, "spec.names"),
    ...conversionErrors(spec),
  ];
}

function groupErrors(group: string): FieldError[] {
  if (!group) return [required("spec.group")];
  const problems = subdomainProblems(group);
  if (problems.length > 0) return [invalid("spec.group", group, problems.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

/** Kubernetes also asks webhooks; here versions differ in their name alone. */
function conversionErrors({ conversion }: DefinitionSpec): FieldError[] {
  const strategy = conversion?.strategy;
  if (strategy === undefined || strategy === "None") {
    if (!conversion?.webhook) return [];
    const why = "should not be set when strategy is not set to Webhook";
    return [
      { reason: "FieldValueForbidden", field: "spec.conversion.webhookClientConfig", message: `Forbidden: ${why}` },
    ];
  }
  return strategy === ""
    ? [required("spec.conversion.strategy")]
    : [notSupported("spec.conversion.strategy", strategy, ["None"])];
}

function changeErrors(spec: DefinitionSpec, old: StoredDefinition): FieldError[] {
  const isFixed = (field: string, value: unknown, before: unknown): FieldError[] =>
    value === before ? [] : [invalid(field, value, "field is immutable")];
  return [
    // What is stored would be lost.
    ...(isTrue(old, "Established")
      ? [
          ...isFixed("spec.scope", spec.scope, old.spec.scope),
          ...isFixed("spec.names.kind", spec.names.kind, old.spec.names.kind),
        ]
      : []),
    ...isFixed("spec.group", spec.group, old.spec.group),
    ...isFixed("spec.names.plural", spec.names.plural, old.spec.names.plural),
  ];
}

function storedVersionErrors({ spec, status }: Definition): FieldError[] {
  const stored = status?.storedVersions ?? [];
  const field = "status.storedVersions";
  if (stored.length === 0) return [invalid(field, status?.storedVersions, "must have at least one stored version")];
  const names = new Set(versionsOf(spec).map(({ name }) => name));
  return [
    ...versionsOf(spec)
      .filter(({ name, storage }) => storage && !stored.includes(name))
      .map(({ name }) => invalid(field, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, at) => {
      if (names.has(name)) return [];
      const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      return [invalid(`${field}[${at}]`, name, why)];
    }),
  ];
}

function approvalErrors({ spec, metadata }: DefinitionDraft, old: StoredDefinition | undefined): FieldError[] {
  const approval = approvalOf(spec.group, metadata.annotations);
  const before = old && approvalOf(old.spec.group, old.metadata.annotations);
  if (!approval || approval.reason === before?.reason) return [];
  if (approval.reason === "MissingAnnotation") return [required(approvalField, approval.message)];
  return approval.reason === "InvalidAnnotation" ? [invalid(approvalField, approval.text, approval.message)] : [];
}

const preservesUnknown = invalid(
  "spec.preserveUnknownFields",
  true,
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
);
