/**
 * Who is cluster-admin in the cluster, and who is to be.
 *
 * Before each visit the status says that one is under way, and says so until all of it is done: whatever ends a visit half
 * way, and whatever is asked for after that, the next visit puts right. So a list that was taken back leaves nobody behind.
 */
import { jsonEqual } from "@berg/apimachinery";
import type { ClusterStatus } from "@berg/resources";
import type { Draft } from "../draft.ts";
import type { Seen } from "../seen.ts";
import type { Problem } from "../shoot/problem.ts";
import type { Decision } from "../step.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";

const type = conditionTypes.administratorsConfigured;

/** Undefined where nothing is to be done, or can be. The status knows who is: so nobody is asked for nothing. */
export function decideAdministrators(seen: Seen, draft: Draft, waits: Problem | undefined): Decision | undefined {
  const wanted = [...new Set(seen.cluster.spec.administrators)].sort();
  const { administrators: found } = seen.facts;
  const isKnown = found !== undefined || !isUnderWay(draft.status);
  const are = found ?? draft.status.administrators ?? [];
  if (found) draft.set({ administrators: [...found] });
  if (isKnown && jsonEqual(wanted, are)) {
    // With nobody to wait for, there is nothing to wait for.
    draft.say(type, { status: "True", reason: reasons.configured, message: texts.administrators(wanted.length) });
    return undefined;
  }
  if (waits) {
    draft.say(type, { status: "False", ...waits });
    return undefined;
  }
  const { phase, shootRef } = draft.status;
  const stored = seen.cluster.status;
  if (!isUnderWay(stored) || phase !== stored?.phase || shootRef?.uid !== stored?.shootRef?.uid) {
    // How the cluster is does not wait for them; and the way into it goes by the Shoot that the status names.
    sayUnderWay(draft);
    return { status: draft.status, goesOn: true };
  }
  return { step: { do: "setAdministrators", administrators: wanted }, status: draft.status };
}

export function sayUnderWay(draft: Draft): void {
  draft.say(type, { status: "False", reason: reasons.configuring, message: texts.configuring });
}

/** Others than the status knows of may be cluster-admin. Nobody is before the cluster was there for the first time. */
export function isUnderWay({ provisioningCompletedAt, conditions = [] }: ClusterStatus = {}): boolean {
  return provisioningCompletedAt !== undefined && conditions.some((one) => one.type === type && one.status === "False");
}
