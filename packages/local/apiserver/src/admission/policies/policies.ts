/**
 * ValidatingAdmissionPolicies: what organisers allow to be written, beyond what the kinds themselves ask for. A policy
 * holds where a binding says so, from the moment on in which both are written.
 */
import { StatusError } from "@berg/apimachinery";
import type { Rbac } from "../../authorization/rbac.ts";
import { type CompiledPolicy, compilePolicy } from "../../kinds/admissionregistration/compile-policy.ts";
import { bindingSpecOf, policySpecOf } from "../../kinds/admissionregistration/types.ts";
import { validatingAdmissionPolicies } from "../../kinds/admissionregistration/validating-admission-policy.ts";
import { validatingAdmissionPolicyBindings } from "../../kinds/admissionregistration/validating-admission-policy-binding.ts";
import type { ServedResources } from "../../registry/served-resources.ts";
import type { AnyStored, Store } from "../../storage/table.ts";
import type { Admission, AdmissionRequest } from "../admission.ts";
import { refuse } from "../refuse.ts";
import { type Denial, evaluate } from "./evaluate.ts";
import { inputsFor } from "./inputs.ts";
import { matchedAs, type Surroundings } from "./matching.ts";
import { checkMayReadParams } from "./param-permission.ts";
import { Misconfigured, noSuchKind, paramResource, paramsOf } from "./params.ts";
import { equivalents } from "./seen.ts";

export interface PolicyOptions {
  store: Store;
  served: ServedResources;
  rbac: Rbac;
}

/** A denial, and whose it is. */
interface Verdict extends Denial {
  policy: string;
  /** Undefined where the policy itself is at fault. */
  binding: AnyStored | undefined;
}

export function admissionPolicies(options: PolicyOptions): Admission {
  return {
    name: "ValidatingAdmissionPolicy",
    check(request) {
      // No policy is asked about policies, or a bad one could keep everybody from mending it.
      if (request.resource.group === validatingAdmissionPolicies.group) return checkMayReadParams(options, request);
      const verdicts = policiesInForce(options.store).flatMap((inForce) => judge(options, request, inForce));
      const denials = verdicts.filter((verdict) => isDenied(verdict));
      for (const verdict of verdicts) if (actionsOf(verdict).includes("Warn")) request.warn(warning(verdict));
      if (denials[0]) throw denied(request, denials[0]);
    },
  };
}

interface InForce {
  policy: AnyStored;
  bindings: AnyStored[];
}

function policiesInForce(store: Store): InForce[] {
  const policies = store.table(validatingAdmissionPolicies.storedAs);
  const byPolicy = new Map<string, AnyStored[]>();
  for (const binding of store.table(validatingAdmissionPolicyBindings.storedAs).newestAll()) {
    const { policyName = "" } = bindingSpecOf(binding);
    byPolicy.set(policyName, [...(byPolicy.get(policyName) ?? []), binding]);
  }
  return [...byPolicy].flatMap(([name, bindings]) => {
    const policy = policies.newest(name);
    return policy ? [{ policy, bindings }] : [];
  });
}

function judge({ store, served, rbac }: PolicyOptions, request: AdmissionRequest, inForce: InForce): Verdict[] {
  const { policy, bindings } = inForce;
  const { matchConstraints = {}, failurePolicy = "Fail", paramKind } = policySpecOf(policy);
  const namespace = namespaceOf(request, store);
  const around = surroundings(request, namespace, served);
  const resource = matchedAs(matchConstraints, request, around);
  if (!resource) return [];
  const misconfigured = (error: unknown, binding?: AnyStored): Verdict[] => {
    if (!(error instanceof Misconfigured)) throw error;
    if (failurePolicy === "Ignore") return [];
    const message = `failed to configure ${binding ? "binding" : "policy"}: ${error.message}`;
    return [{ policy: policy.metadata.name, binding, message, reason: "Invalid", isCertain: true }];
  };
  const params = paramKind && paramResource(paramKind, served.all());
  if (paramKind && !params) return misconfigured(noSuchKind(paramKind));

  const isNamespace = request.resource.storedAs === "namespaces";
  const inputs = inputsFor({ request, resource, namespace: isNamespace ? null : (namespace ?? null), rbac });
  return bindings.flatMap((binding) => {
    const { matchResources, paramRef } = bindingSpecOf(binding);
    if (matchResources && !matchedAs(matchResources, request, around)) return [];
    try {
      return paramsOf(params, paramRef, request.namespace, store)
        .flatMap((param) => evaluate(compiledOf(policy), failurePolicy, inputs(param)))
        .map((denial) => ({ ...denial, policy: policy.metadata.name, binding }));
    } catch (error) {
      return misconfigured(error, binding);
    }
  });
}

function namespaceOf({ namespace }: AdmissionRequest, store: Store): AnyStored | undefined {
  return namespace === "" ? undefined : store.table("namespaces").newest(namespace);
}

function surroundings(
  request: AdmissionRequest,
  namespace: AnyStored | undefined,
  served: ServedResources,
): Surroundings {
  const isWrittenNamespace = request.resource.storedAs === "namespaces" && request.subresource === "" && request.draft;
  // A namespace that is written counts as what it is to become.
  const { metadata } = (isWrittenNamespace && request.draft) || namespace || {};
  return {
    namespaceLabels: metadata && (metadata.labels ?? {}),
    equivalents: equivalents(request, served.all()),
  };
}

const compiled = new WeakMap<AnyStored, CompiledPolicy>();

/** Once for each version of a policy: what is stored never changes. */
function compiledOf(policy: AnyStored): CompiledPolicy {
  const known = compiled.get(policy) ?? compilePolicy(policySpecOf(policy));
  compiled.set(policy, known);
  return known;
}

function actionsOf({ binding, isCertain }: Verdict): readonly string[] {
  return isCertain || !binding ? ["Deny"] : (bindingSpecOf(binding).validationActions ?? []);
}

const isDenied = (verdict: Verdict): boolean => actionsOf(verdict).includes("Deny");

function warning({ policy, binding, message }: Verdict): string {
  return `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding?.metadata.name}': ${message}`;
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };

function denied(request: AdmissionRequest, { policy, binding, message, reason }: Verdict): StatusError {
  const by = binding ? ` with binding '${binding.metadata.name}'` : "";
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const { status } = refuse(request, text);
  const details = { ...status.details, causes: [{ message: text }] };
  return new StatusError({ ...status, reason, code: codes[reason] ?? 422, details });
}
