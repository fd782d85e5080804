/** Environment variables of a container, and the fields of the pod that they and volumes may show. */

import { parseQuantity } from "@berg/apimachinery";
import { type FieldError, invalid, notSupported, required } from "../../../../errors/field-error.ts";
import { labelProblems, qualifiedNameProblems, subdomainProblems } from "../../../../schema/metadata/names.ts";
import { each, own, pathWithoutBacksteps } from "../../../checks/field-rules.ts";
import { configKeyProblems, environmentNameProblems } from "../../../checks/names.ts";
import type { EnvFrom, EnvVar, FieldReference, ResourceReference } from "../../types.ts";

export function environment(path: string, variables: readonly EnvVar[]): FieldError[] {
  return variables.flatMap((variable, index) => {
    const at = `${path}[${index}]`;
    const name =
      variable.name === ""
        ? [required(`${at}.name`)]
        : each(`${at}.name`, variable.name, environmentNameProblems(variable.name));
    return [...name, ...valueFrom(`${at}.valueFrom`, variable)];
  });
}

function valueFrom(path: string, variable: EnvVar): FieldError[] {
  const from = variable.valueFrom;
  if (!from) return [];
  const errors: FieldError[] = [];
  if (from.fieldRef) errors.push(...fieldReference(`${path}.fieldRef`, from.fieldRef, fieldsForVariables));
  if (from.resourceFieldRef)
    errors.push(...resourceReference(`${path}.resourceFieldRef`, from.resourceFieldRef, { needsContainer: false }));
  if (from.configMapKeyRef) errors.push(...keyReference(`${path}.configMapKeyRef`, from.configMapKeyRef));
  if (from.secretKeyRef) errors.push(...keyReference(`${path}.secretKeyRef`, from.secretKeyRef));
  if (from.fileKeyRef) errors.push(...fileReference(`${path}.fileKeyRef`, from.fileKeyRef));

  const sources = Object.keys(from).length;
  if (sources === 0)
    errors.push(
      invalid(
        path,
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
      ),
    );
  else if (variable.value) errors.push(invalid(path, "", "may not be specified when `value` is not empty"));
  else if (sources > 1) errors.push(invalid(path, "", "may not have more than one field specified at a time"));
  return errors;
}

function keyReference(path: string, { name = "", key }: { name?: string; key: string }): FieldError[] {
  const keyErrors = key === "" ? [required(`${path}.key`)] : each(`${path}.key`, key, configKeyProblems(key));
  return [...each(`${path}.name`, name, subdomainProblems(name)), ...keyErrors];
}

function fileReference(path: string, file: { key: string; path: string; volumeName: string }): FieldError[] {
  const filled = (field: "key" | "volumeName" | "path", errors: (at: string, value: string) => FieldError[]) =>
    file[field] === "" ? [required(`${path}.${field}`)] : errors(`${path}.${field}`, file[field]);
  return [
    ...filled("key", (at, value) => each(at, value, environmentNameProblems(value))),
    ...filled("volumeName", (at, value) => each(at, value, labelProblems(value))),
    ...filled("path", pathWithoutBacksteps),
  ];
}

export function environmentFrom(path: string, sources: readonly EnvFrom[]): FieldError[] {
  return sources.flatMap(({ prefix, ...refs }, index) => {
    const at = `${path}[${index}]`;
    const errors = prefix ? each(`${at}.prefix`, prefix, environmentNameProblems(prefix)) : [];
    for (const ref of ["configMapRef", "secretRef"] as const) {
      const source = refs[ref];
      if (!source) continue;
      const { name = "" } = source;
      errors.push(
        ...(name === "" ? [required(`${at}.${ref}.name`)] : each(`${at}.${ref}.name`, name, subdomainProblems(name))),
      );
    }
    const count = Object.keys(refs).length;
    if (count === 0) errors.push(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    if (count > 1) errors.push(invalid(path, "", "may not have more than one field specified at a time"));
    return errors;
  });
}

/** Sorted, as the refusal shows them. */
const fieldsForVariables = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
export const fieldsForVolumes = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
// What the server knows at all; a field it does not know is refused in other words.
const knownFields = new Set([
  ...fieldsForVariables,
  ...fieldsForVolumes,
  ...["spec.restartPolicy", "spec.schedulerName", "status.phase"],
]);

export function fieldReference(path: string, reference: FieldReference, choices: readonly string[]): FieldError[] {
  const { apiVersion = "", fieldPath } = reference;
  if (apiVersion === "") return [required(`${path}.apiVersion`)];
  if (fieldPath === "") return [required(`${path}.fieldPath`)];
  const [, subscripted, key = ""] = /^([^[]+)\['(.+)'\]$/s.exec(fieldPath) ?? [];
  if (apiVersion !== "v1")
    return [
      invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: unsupported pod version: ${apiVersion}`),
    ];
  if (subscripted === "metadata.annotations")
    return each(path, key.toLowerCase(), qualifiedNameProblems(key.toLowerCase()));
  if (subscripted === "metadata.labels") return each(path, key, qualifiedNameProblems(key));
  if (subscripted !== undefined)
    return [
      invalid(
        `${path}.fieldPath`,
        fieldPath,
        `error converting fieldPath: field label does not support subscript: ${fieldPath}`,
      ),
    ];
  if (!knownFields.has(fieldPath))
    return [
      invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`),
    ];
  return choices.includes(fieldPath) ? [] : [notSupported(`${path}.fieldPath`, fieldPath, choices)];
}

const resourceFields = ["limits", "requests"].flatMap((of) =>
  ["cpu", "ephemeral-storage", "memory"].map((name) => `${of}.${name}`),
);
const divisorsOfSizes = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
const divisors: Record<string, { choices: string[]; texts: string; of: string }> = {
  cpu: { choices: ["1m", "1"], texts: "1m and 1", of: "cpu" },
  memory: { choices: divisorsOfSizes, texts: divisorsOfSizes.join(", "), of: "memory" },
  "ephemeral-storage": { choices: divisorsOfSizes, texts: divisorsOfSizes.join(", "), of: "local ephemeral storage" },
  hugepages: { choices: divisorsOfSizes, texts: divisorsOfSizes.join(", "), of: "hugepages" },
};

export function resourceReference(
  path: string,
  { containerName = "", resource, divisor = "0" }: ResourceReference,
  { needsContainer }: { needsContainer: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  const isHugePages = /^(limits|requests)\.hugepages-/.test(resource);
  if (needsContainer && containerName === "") errors.push(required(`${path}.containerName`));
  else if (resource === "") errors.push(required(`${path}.resource`));
  else if (!resourceFields.includes(resource) && !isHugePages)
    errors.push(notSupported(`${path}.resource`, resource, resourceFields));

  const rule = own(divisors, isHugePages ? "hugepages" : resource.replace(/^(limits|requests)\./, ""));
  if (!rule || parseQuantity(divisor).nanos === 0n || rule.choices.includes(divisor)) return errors;
  const text = `only divisor's values ${rule.texts} are supported with the ${rule.of} resource`;
  return [...errors, invalid(`${path}.divisor`, resource, text)];
}
