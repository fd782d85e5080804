/**
 * Who makes a policy look into other objects must be allowed to read those: or its messages would tell what they are not
 * to know.
 */
import { jsonEqual, parseApiVersion, type StatusError } from "@berg/apimachinery";
import type { User } from "../../authentication/user.ts";
import { forbidden } from "../../errors/field-error.ts";
import { invalid } from "../../errors/refusals.ts";
import { bindingSpecOf, type ParamKind, policySpecOf } from "../../kinds/admissionregistration/types.ts";
import { validatingAdmissionPolicies } from "../../kinds/admissionregistration/validating-admission-policy.ts";
import type { AdmissionRequest } from "../admission.ts";
import { paramResource } from "./params.ts";
import type { PolicyOptions } from "./policies.ts";

export function checkMayReadParams(options: PolicyOptions, request: AdmissionRequest): void {
  const { draft, resource, subresource } = request;
  if (!draft || subresource !== "") return;
  if (resource.kind === validatingAdmissionPolicies.kind) checkPolicy(options, request);
  else checkBinding(options, request);
}

/** All objects of the kind. */
function checkPolicy(options: PolicyOptions, request: AdmissionRequest): void {
  const { paramKind } = policySpecOf(request.draft);
  if (!paramKind || (request.old && jsonEqual(policySpecOf(request.old).paramKind, paramKind))) return;
  if (mayRead(options, request.user, paramKind, { verb: "get", namespace: "*", name: "*" })) return;
  const { kind, apiVersion } = paramKind;
  const why = `user ${shown(request.user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  throw refused(request, "spec.paramKind", why);
}

/** Those that it names; what they are is for the policy to say, or else they may be anything. */
function checkBinding(options: PolicyOptions, request: AdmissionRequest): void {
  const { paramRef, policyName = "" } = bindingSpecOf(request.draft);
  const before = request.old && bindingSpecOf(request.old);
  if (!paramRef || (before?.policyName === policyName && jsonEqual(before.paramRef, paramRef))) return;
  const policy = options.store.table(validatingAdmissionPolicies.storedAs).newest(policyName);
  const { paramKind } = policy ? policySpecOf(policy) : {};
  const verb = paramRef.name ? "get" : "list";
  const where = { verb, namespace: paramRef.namespace ?? "", name: paramRef.name ?? "" } as const;
  if (mayRead(options, request.user, paramKind, where)) return;
  const who = `user ${shown(request.user)} does not have "${verb}" permission`;
  const unknown = (what: string) =>
    `unable to ${what} to determine minimum required permissions and ${who} for all groups, versions and resources`;
  const { kind, apiVersion } = paramKind ?? {};
  if (!policy) throw refused(request, "spec.paramRef", unknown(`get policy ${policyName}`));
  if (paramKind && !paramResource(paramKind, options.served.all()))
    throw refused(request, "spec.paramRef", unknown(`resolve paramKind &{${apiVersion} ${kind}}`));
  throw refused(request, "spec.paramRef", `${who} on the object referenced by paramRef`);
}

/** What nobody knows takes the right to all. */
function mayRead(
  { rbac, served }: PolicyOptions,
  user: User,
  kind: ParamKind | undefined,
  where: { verb: "get" | "list"; namespace: string; name: string },
): boolean {
  const found = kind && paramResource(kind, served.all());
  const { group, version } = kind ? parseApiVersion(kind.apiVersion ?? "") : { group: "*", version: "*" };
  const resource = found?.resource ?? "*";
  return rbac.authorize(user, { isResource: true, group, version, resource, subresource: "", ...where }).allowed;
}

function refused({ resource, draft }: AdmissionRequest, field: string, why: string): StatusError {
  const { group, kind } = resource;
  return invalid({ group, kind, name: draft?.metadata.name ?? "" }, [forbidden(field, why)]);
}

/** As Go prints the struct. */
function shown({ name, uid = "", groups, extra = {} }: User): string {
  const more = Object.keys(extra)
    .sort()
    .map((key) => `${key}:[${extra[key]?.join(" ")}]`);
  return `&{${name} ${uid} [${groups.join(" ")}] map[${more.join(" ")}]}`;
}
