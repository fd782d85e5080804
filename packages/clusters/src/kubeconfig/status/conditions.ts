import { formatTime } from "@berg/apimachinery";
import { setCondition, type WantedCondition } from "@berg/kube";
import { conditionLimits, type KubeconfigRequestStatus } from "@berg/resources";
import type { Seen } from "../seen.ts";
import { reasons, texts, conditionTypes as types } from "../vocabulary.ts";

export const notWhileRevoking: WantedCondition = {
  type: types.issued,
  status: "False",
  reason: reasons.revoking,
  message: texts.notWhile,
};

export function said(
  status: KubeconfigRequestStatus,
  { request, now }: Seen,
  wanted: readonly WantedCondition[],
): KubeconfigRequestStatus {
  const observedGeneration = request.metadata.generation;
  let conditions = status.conditions;
  for (const { message, ...condition } of wanted) {
    conditions = setCondition(conditions, { ...condition, message: cut(message), observedGeneration }, formatTime(now));
  }
  return conditions === undefined ? status : { ...status, conditions };
}

function cut(text: string): string {
  const { message } = conditionLimits;
  return text.length <= message ? text : `${text.slice(0, message - 1)}…`;
}
