/** What is said about Gardener's work on a Shoot. */
import type { Stored } from "@berg/apimachinery";
import { type Cluster, clusterStatusLimits } from "@berg/resources";
import type { Shoot } from "../../gardener/kinds.ts";
import type { Draft } from "../draft.ts";
import { cleanText } from "../judge/clean-text.ts";
import type { Judgement } from "../judge/judge.ts";
import { retriesOf } from "../judge/retries.ts";

export function sayOperation(shoot: Stored<Shoot>, cluster: Stored<Cluster>, draft: Draft): void {
  const retries = retriesOf(shoot, cluster);
  if (retries.count > 0) draft.set({ retries });
  else draft.without("retries");
  const { lastOperation } = shoot.status ?? {};
  if (!lastOperation) return;
  const { type, state, progress, description, lastUpdateTime } = lastOperation;
  draft.set({
    progress,
    lastOperation: { type, state, progress, description: cleanText(description), lastUpdateTime },
  });
}

export function sayCodes({ codes, isUserError }: Judgement, draft: Draft): void {
  draft.without("errorCodes", "userError");
  if (codes.length > 0)
    draft.set({ errorCodes: codes.slice(0, clusterStatusLimits.errorCodes), userError: isUserError });
}
