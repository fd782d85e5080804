/** The rules for an Ingress, in the order and the words of kube-apiserver. */
import { type FieldError, invalid, notSupported, required } from "../../errors/field-error.ts";
import { labelProblems, pathSegmentProblems, subdomainProblems } from "../../schema/metadata/names.ts";
import { isAddress } from "../checks/addresses.ts";
import { each } from "../checks/field-rules.ts";
import { portNameProblems, portNumberProblems, wildcardProblems } from "../checks/names.ts";
import type { Backend, Ingress, IngressPath, IngressRule } from "./ingress-shape.ts";

export function ingressErrors(spec: Ingress["spec"]): FieldError[] {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0 && !defaultBackend)
    errors.push(invalid("spec", null, "either `defaultBackend` or `rules` must be specified"));
  if (defaultBackend) errors.push(...backendErrors("spec.defaultBackend", defaultBackend));
  errors.push(...rules.flatMap((rule, i) => ruleErrors(`spec.rules[${i}]`, rule)));
  for (const [i, { hosts = [], secretName }] of tls.entries()) {
    errors.push(...hosts.flatMap((host, j) => patternErrors(`spec.tls[${i}].hosts[${j}]`, host)));
    if (secretName) errors.push(...each(`spec.tls[${i}].secretName`, secretName, subdomainProblems(secretName)));
  }
  if (ingressClassName !== undefined)
    errors.push(...each("spec.ingressClassName", ingressClassName, subdomainProblems(ingressClassName)));
  return errors;
}

function ruleErrors(at: string, { host, http }: IngressRule): FieldError[] {
  const errors: FieldError[] = [];
  if (host && isAddress(host)) errors.push(invalid(`${at}.host`, host, "must be a DNS name, not an IP address"));
  if (host) errors.push(...patternErrors(`${at}.host`, host));
  if (!http) return errors;
  const paths = http.paths ?? [];
  if (paths.length === 0) errors.push(required(`${at}.http.paths`));
  return [...errors, ...paths.flatMap((path, i) => pathErrors(`${at}.http.paths[${i}]`, path))];
}

/** `example.com` or `*.example.com`. */
function patternErrors(field: string, host: string): FieldError[] {
  return each(field, host, host.includes("*") ? wildcardProblems(host) : subdomainProblems(host));
}

function pathErrors(at: string, { path = "", pathType, backend }: IngressPath): FieldError[] {
  if (pathType === undefined) return [required(`${at}.pathType`, "pathType must be specified")];
  const problems: string[] = [];
  const types = ["Exact", "ImplementationSpecific", "Prefix"];
  if (!types.includes(pathType))
    return [notSupported(`${at}.pathType`, pathType, types), ...backendErrors(`${at}.backend`, backend)];
  const isFree = pathType === "ImplementationSpecific";
  if (!path.startsWith("/") && !(isFree && path === "")) problems.push("must be an absolute path");
  if (!isFree) {
    const sequences = ["//", "/./", "/../", "%2f", "%2F"].filter((sequence) => path.includes(sequence));
    problems.push(...sequences.map((sequence) => `must not contain '${sequence}'`));
    const ends = ["/..", "/."].filter((end) => path.endsWith(end));
    problems.push(...ends.map((end) => `cannot end with '${end}'`));
  }
  return [...each(`${at}.path`, path, problems), ...backendErrors(`${at}.backend`, backend)];
}

function backendErrors(at: string, { service, resource }: Backend): FieldError[] {
  if (service && resource) return [invalid(at, "", "cannot set both resource and service backends")];
  if (resource) {
    const { apiGroup, kind, name } = resource;
    return [
      ...(apiGroup === undefined ? [] : each(`${at}.resource.apiGroup`, apiGroup, subdomainProblems(apiGroup))),
      ...segmentErrors(`${at}.resource.kind`, kind),
      ...segmentErrors(`${at}.resource.name`, name),
    ];
  }
  if (!service) return [invalid(at, "", "resource or service backend is required")];
  const { name, port } = service;
  const nameErrors =
    name === "" ? [required(`${at}.service.name`)] : each(`${at}.service.name`, name, labelProblems(name));
  return [...nameErrors, ...portErrors(at, port)];
}

function portErrors(at: string, { name, number }: NonNullable<Backend["service"]>["port"]): FieldError[] {
  if (name && number) return [invalid(at, "", "cannot set both port name & port number")];
  if (name) return each(`${at}.service.port.name`, name, portNameProblems(name));
  if (number) return each(`${at}.service.port.number`, number, portNumberProblems(number));
  return [required(at, "port name or number is required")];
}

/** A name that stands in a URL, and must be there. */
export function segmentErrors(field: string, value: string): FieldError[] {
  return value === "" ? [required(field)] : each(field, value, pathSegmentProblems(value));
}
