/** The admissions of a cluster as it comes, in the order in which Kubernetes asks them. */
import type { Admission } from "./admission.ts";
import { defaultTolerations } from "./default-tolerations.ts";
import { limitRanges } from "./limit-ranges.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { admissionPolicies, type PolicyOptions } from "./policies/policies.ts";
import { priorities } from "./priorities.ts";
import { quotas } from "./quotas.ts";
import { runtimeClasses } from "./runtime-classes.ts";
import { serviceAccounts } from "./service-accounts.ts";

export function standardAdmissions(options: PolicyOptions): readonly Admission[] {
  const { store } = options;
  return [
    namespaceLifecycle(store),
    limitRanges(),
    serviceAccounts(store),
    podSecurity(store),
    priorities(),
    defaultTolerations(),
    runtimeClasses(),
    admissionPolicies(options),
    quotas(store),
  ];
}
