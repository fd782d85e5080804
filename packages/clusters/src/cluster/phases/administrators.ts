/** Who is cluster-admin in the cluster, and who is to be. */
import { jsonEqual } from "@berg/apimachinery";
import type { Draft } from "../draft.ts";
import type { Seen } from "../seen.ts";
import type { Problem } from "../shoot/problem.ts";
import type { Decision } from "../step.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";

/** Undefined where nothing is to be done, or can be. The status knows who is: so nobody is asked for nothing. */
export function decideAdministrators(seen: Seen, draft: Draft, waits: Problem | undefined): Decision | undefined {
  const type = conditionTypes.administratorsConfigured;
  const wanted = [...new Set(seen.cluster.spec.administrators)].sort();
  const are = seen.facts.administrators ?? draft.status.administrators ?? [];
  if (seen.facts.administrators) draft.set({ administrators: [...seen.facts.administrators] });
  if (jsonEqual(wanted, are)) {
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
  if (phase !== stored?.phase || shootRef?.uid !== stored?.shootRef?.uid) {
    // How the cluster is does not wait for them; and the way into it goes by the Shoot that the status names.
    draft.say(type, { status: "False", reason: reasons.configuring, message: texts.configuring });
    return { status: draft.status, goesOn: true };
  }
  return { step: { do: "setAdministrators", administrators: wanted }, status: draft.status };
}
