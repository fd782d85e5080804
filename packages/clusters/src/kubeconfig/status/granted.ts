/** The rights in the target. */
import { findCondition, isConditionTrue, type WantedCondition } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import type { Request } from "../names.ts";
import type { Seen } from "../seen.ts";
import { reasons, texts, conditionTypes as types } from "../vocabulary.ts";
import { said } from "./conditions.ts";

export interface Grant {
  unknown: readonly string[];
  /** What was granted under another name than was asked for: `Deployment as deployments`. */
  renamed: readonly string[];
  /** Undefined where it is there. */
  missingNamespace: string | undefined;
  /** The namespace where a holder can run code, as its service accounts. */
  codeRunsIn: string | undefined;
  readsAllSecrets: boolean;
}

export function granted(seen: Seen, grant: Grant): KubeconfigRequestStatus {
  const { request } = seen;
  const { generation } = request.metadata;
  // Not before all of it is as the spec has it.
  const isWhole = generation !== undefined && grant.missingNamespace === undefined;
  const status = { ...request.status, ...(isWhole && { observedGeneration: generation }) };
  return said(status, seen, grantConditions(grant));
}

/** Whoever has access has not all of it: a namespace was missing, or the cluster refused. */
export function lacksRights({ status }: Request): boolean {
  return findCondition(status?.conditions, types.rbacReady)?.status === "False";
}

/** The rights were once made as this spec has them, and nothing else was left. */
export function hasRights({ metadata, status }: Request): boolean {
  return status?.observedGeneration === metadata.generation && isConditionTrue(status?.conditions, types.rbacReady);
}

function grantConditions(grant: Grant): WantedCondition[] {
  const { unknown, renamed, missingNamespace, codeRunsIn, readsAllSecrets } = grant;
  const isKnown = unknown.length === 0;
  return [
    {
      type: types.rulesAccepted,
      status: "True",
      reason: isKnown ? reasons.accepted : reasons.unknownResources,
      message: [
        isKnown ? texts.accepted : texts.unknownResources(unknown),
        ...(codeRunsIn === undefined ? [] : [texts.codeRunsIn(codeRunsIn)]),
        ...(readsAllSecrets ? [texts.allSecrets] : []),
        ...(renamed.length > 0 ? [texts.renamed(renamed)] : []),
      ].join(". "),
    },
    { type: types.targetReachable, status: "True", reason: reasons.reached, message: texts.reached },
    missingNamespace === undefined
      ? { type: types.rbacReady, status: "True", reason: reasons.granted, message: texts.granted }
      : {
          type: types.rbacReady,
          status: "False",
          reason: reasons.namespaceMissing,
          message: texts.namespaceMissing(missingNamespace),
        },
  ];
}
