/** The admissions of a cluster as it comes, in the order in which Kubernetes asks them. */
import type { Store } from "../storage/table.ts";
import type { Admission } from "./admission.ts";
import { defaultTolerations } from "./default-tolerations.ts";
import { limitRanges } from "./limit-ranges.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { priorities } from "./priorities.ts";
import { quotas } from "./quotas.ts";
import { serviceAccounts } from "./service-accounts.ts";

export function standardAdmissions(store: Store): readonly Admission[] {
  return [
    namespaceLifecycle(store),
    limitRanges(),
    serviceAccounts(store),
    priorities(),
    defaultTolerations(),
    quotas(),
  ];
}
