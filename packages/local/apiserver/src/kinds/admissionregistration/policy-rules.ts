/** What is wrong with a policy, in the order in which Kubernetes says it. */
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from "../../errors/field-error.ts";
import type { AnyObject } from "../../registry/resource.ts";
import { label1035Problems, qualifiedNameProblems, subdomainProblems } from "../../schema/metadata/names.ts";
import { each, oneOf } from "../checks/field-rules.ts";
import { type Compiled, type CompiledPolicy, compilePolicy } from "./compile-policy.ts";
import { matchResourcesErrors } from "./match-resources.ts";
import { type AuditAnnotation, type Named, type ParamKind, policySpecOf, type Validation } from "./types.ts";

const mostMatchConditions = 64;
const mostAnnotations = 20;
const longestAnnotation = 5 * 1024;
const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

export function policyErrors(policy: AnyObject): FieldError[] {
  const spec = policySpecOf(policy);
  const { paramKind, matchConstraints, validations = [], auditAnnotations = [] } = spec;
  const compiled = compilePolicy(spec);
  const errors = [
    ...oneOf("spec.failurePolicy", spec.failurePolicy ?? "", ["Fail", "Ignore"]),
    ...(paramKind ? paramKindErrors(paramKind) : []),
    ...(matchConstraints
      ? matchResourcesErrors(matchConstraints, "spec.matchConstraints")
      : [required("spec.matchConstraints")]),
    ...(matchConstraints && !matchConstraints.resourceRules?.length
      ? [required("spec.matchConstraints.resourceRules")]
      : []),
    ...matchConditionErrors(spec.matchConditions ?? [], compiled),
    ...(spec.variables ?? []).flatMap((variable, i) =>
      variableErrors(variable, compiled.variables[i]?.value, `spec.variables[${i}]`),
    ),
  ];
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const why = "validations or auditAnnotations must contain at least one item";
    return [...errors, required("spec.validations", why), required("spec.auditAnnotations", why)];
  }
  return [
    ...errors,
    ...compiled.validations.flatMap((validation, i) => validationErrors(validation, `spec.validations[${i}]`)),
    ...auditAnnotationErrors(auditAnnotations, compiled, policy.metadata.name ?? ""),
  ];
}

function paramKindErrors({ apiVersion = "", kind = "" }: ParamKind): FieldError[] {
  const at = "spec.paramKind";
  const errors: FieldError[] = [];
  const wrong = (value: string, problems: string[]) =>
    problems.length === 0 ? [] : [invalid(`${at}.apiVersion`, value, problems.join(","))];
  const parts = apiVersion.split("/");
  const [group, version] = parts.length === 1 ? ["", apiVersion] : (parts as [string, string]);
  if (apiVersion === "") errors.push(required(`${at}.apiVersion`));
  else if (parts.length > 2) errors.push(...wrong(apiVersion, [`unexpected GroupVersion string: ${apiVersion}`]));
  else {
    if (group !== "") errors.push(...wrong(group, subdomainProblems(group)));
    if (version === "") errors.push(...wrong(apiVersion, ["version must be specified"]));
    else errors.push(...wrong(version, label1035Problems(version)));
  }
  if (kind === "") return [...errors, required(`${at}.kind`)];
  const problems = label1035Problems(kind.toLowerCase());
  if (problems.length === 0) return errors;
  const why = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [...errors, invalid(`${at}.kind`, kind, why)];
}

function matchConditionErrors(conditions: readonly Named[], compiled: CompiledPolicy): FieldError[] {
  const path = "spec.matchConditions";
  const errors = conditions.length > mostMatchConditions ? [tooMany(path, conditions.length, mostMatchConditions)] : [];
  for (const [i, { name, expression }] of conditions.entries()) {
    const at = `${path}[${i}]`;
    if (expression.trim() === "") errors.push(required(`${at}.expression`));
    else errors.push(...problemOf(`${at}.expression`, compiled.matchConditions[i], expression.trim()));
    if (name === "") errors.push(required(`${at}.name`));
    else errors.push(...each(`${at}.name`, name, qualifiedNameProblems(name)));
    if (name !== "" && conditions.findIndex((other) => other.name === name) < i)
      errors.push(duplicate(`${at}.name`, name));
  }
  return errors;
}

function variableErrors({ name, expression }: Named, compiled: Compiled | undefined, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (name.trim() === "") errors.push(required(`${at}.name`, "name is not specified"));
  else if (!isIdentifier(name)) errors.push(invalid(`${at}.name`, name, "must be a valid CEL identifier"));
  if (expression.trim() === "") return [...errors, required(`${at}.expression`, "expression is not specified")];
  return [...errors, ...problemOf(`${at}.expression`, compiled, expression)];
}

const reserved = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return var " +
    "void while"
  ).split(" "),
);

const isIdentifier = (name: string): boolean => /^[_a-zA-Z]\w*$/.test(name) && !reserved.has(name);

function validationErrors(validation: CompiledPolicy["validations"][number], at: string): FieldError[] {
  const { expression, message = "", messageExpression = "", reason } = validation.source as Validation;
  const empty = "must be non-empty if specified";
  const errors: FieldError[] = [];
  if (expression.trim() === "") errors.push(required(`${at}.expression`, "expression is not specified"));
  else errors.push(...problemOf(`${at}.expression`, validation.condition, expression));
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(invalid(`${at}.messageExpression`, messageExpression, empty));
  else errors.push(...problemOf(`${at}.messageExpression`, validation.message, messageExpression));
  if (message !== "" && message.trim() === "") errors.push(invalid(`${at}.message`, message, empty));
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalid(`${at}.message`, message, "must not contain line breaks"));
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${at}.reason`, reason, reasons));
  return errors;
}

function auditAnnotationErrors(
  annotations: readonly AuditAnnotation[],
  compiled: CompiledPolicy,
  policyName: string,
): FieldError[] {
  const path = "spec.auditAnnotations";
  const errors: FieldError[] = [];
  if (annotations.length > mostAnnotations) {
    const shown = annotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression }));
    errors.push(invalid(path, shown, `must not have more than ${mostAnnotations} auditAnnotations`));
  }
  for (const [i, { key, valueExpression }] of annotations.entries()) {
    const at = `${path}[${i}]`;
    const size = Buffer.byteLength(valueExpression.trim());
    if (policyName === "") errors.push(invalid(`${at}.key`, key, "requires metadata.name be non-empty"));
    else errors.push(...each(`${at}.key`, `${policyName}/${key}`, qualifiedNameProblems(`${policyName}/${key}`)));
    if (size === 0) errors.push(required(`${at}.valueExpression`, "valueExpression is not specified"));
    else if (size > longestAnnotation)
      errors.push(required(`${at}.valueExpression`, `must not exceed ${longestAnnotation} bytes in length`));
    else errors.push(...problemOf(`${at}.valueExpression`, compiled.auditAnnotations[i]?.value, valueExpression));
    if (annotations.findIndex((other) => other.key === key) < i) errors.push(duplicate(`${at}.key`, key));
  }
  return errors;
}

function problemOf(at: string, compiled: Compiled | undefined, shown: string): FieldError[] {
  return compiled?.problem === undefined ? [] : [invalid(at, shown, compiled.problem)];
}
