/** There is a Shoot of ours: it is kept as the Cluster asks, and judged. */
import type { Stored } from "@berg/apimachinery";
import type { Shoot } from "../../gardener/kinds.ts";
import { gardener } from "../../vocabulary.ts";
import type { Draft } from "../draft.ts";
import { type Judgement, judge } from "../judge/judge.ts";
import type { Seen } from "../seen.ts";
import { isSuspended } from "../shoot/marks.ts";
import type { Decision } from "../step.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";
import { accountOf } from "./account.ts";
import { decideAdministrators } from "./administrators.ts";
import { decideChange, sayUnchanged } from "./change.ts";
import { sayCodes, sayOperation } from "./operation.ts";

export function decideShoot(seen: Seen, shoot: Stored<Shoot>, draft: Draft): Decision {
  const { cluster, now } = seen;
  describe(shoot, seen, draft);
  if (shoot.metadata.deletionTimestamp) return watchLoss(shoot, draft);
  if (!seen.subscription) return { step: { do: "requestSubscription" }, status: draft.status };
  // By what is known by now: one that was made anew was never ready.
  const judgement = judge(shoot, { ...cluster, status: draft.status }, now);
  sayJudgement(judgement, seen, draft);

  // Who is administrator, above all who is not any more, does not wait for a change that Gardener does not take.
  const { unchanged } = seen.facts;
  if (unchanged) sayUnchanged(unchanged.trouble, draft);
  const change = unchanged ? undefined : decideChange(seen, shoot, draft, judgement.isDone);
  if (change) return { ...change, canWait: true };
  if (isRetryDue(judgement, shoot, seen)) return { step: { do: "retryShoot", shoot }, status: draft.status };

  const administrators = decideAdministrators(seen, draft, waitsFor(shoot, draft));
  if (administrators) return administrators;
  return { status: draft.status, lookAt: later(judgement.retryAt ?? judgement.until, now) };
}

/** What is due and not done waits for a change. */
function later(at: number | undefined, now: number): number | undefined {
  return at !== undefined && at > now ? at : undefined;
}

/** Somebody else deletes it. There is no way back, and nothing left to change. */
function watchLoss({ metadata }: Stored<Shoot>, draft: Draft): Decision {
  const message = texts.shootDeleting(metadata.name);
  const finding = { status: "False", reason: reasons.shootDeleting, message } as const;
  return { status: draft.in("Degraded").say(conditionTypes.clusterHealthy, finding).status };
}

/** What is known of it, for whoever reads the status. */
function describe(shoot: Stored<Shoot>, { cluster, subscription }: Seen, draft: Draft): void {
  const { name, uid } = shoot.metadata;
  const { technicalID, advertisedAddresses = [] } = shoot.status ?? {};
  if (cluster.status?.shootRef && cluster.status.shootRef.uid !== uid) {
    // Another cluster, with nothing in it.
    draft.without("provisioningCompletedAt", "administrators", "apiServerURL", "retries");
  }
  draft.set({ shootRef: { name, uid, ...(technicalID !== undefined && { technicalID }) } });
  draft.say(conditionTypes.shootCreated, { status: "True", reason: reasons.created, message: texts.created(name) });
  if (subscription) draft.say(conditionTypes.subscriptionReady, accountOf(subscription, cluster).finding);
  const zones = shoot.spec.provider.workers?.[0]?.zones;
  // Seen for the first time, it may be of a try whose end we did not live to see, and others were chosen since.
  if (zones && !(cluster.status?.shootRef && cluster.status.zones)) draft.set({ zones });
  const address = advertisedAddresses.find((one) => one.name === "external") ?? advertisedAddresses[0];
  if (address) draft.set({ apiServerURL: address.url });
  sayOperation(shoot, cluster, draft);
}

function sayJudgement(judgement: Judgement, { time }: Seen, draft: Draft): void {
  const { phase, health, isDone } = judgement;
  // Also where it has been unwell for long: whoever puts that right needs a way in.
  const isMade = phase === "Ready" || (isDone && phase === "Degraded");
  draft.in(phase).say(conditionTypes.clusterHealthy, health);
  sayCodes(judgement, draft);
  if (isMade && draft.status.provisioningCompletedAt === undefined) draft.set({ provisioningCompletedAt: time });
  if (draft.status.provisioningCompletedAt !== undefined) {
    draft.say(conditionTypes.clusterProvisioned, {
      status: "True",
      reason: reasons.provisioned,
      message: texts.provisioned,
    });
    return;
  }
  const failed = health.status === "False" ? health : undefined;
  draft.say(conditionTypes.clusterProvisioned, {
    status: "False",
    reason: failed?.reason ?? reasons.provisioning,
    message: isDone ? texts.notYetWell(health.message) : (failed?.message ?? texts.provisioning),
  });
}

function isRetryDue({ retryAt }: Judgement, { metadata }: Stored<Shoot>, { cluster, now }: Seen): boolean {
  // Somebody else has asked for something that Gardener has not seen yet.
  const isAsked = metadata.annotations?.[gardener.operation] !== undefined;
  return retryAt !== undefined && retryAt <= now && !isAsked && !isSuspended(cluster);
}

/** Why nobody can be made administrator yet. */
function waitsFor({ status }: Stored<Shoot>, draft: Draft) {
  if (draft.status.provisioningCompletedAt === undefined)
    return { reason: reasons.waitingForCluster, message: texts.waitingForReady };
  return status?.hibernated ? { reason: reasons.hibernated, message: texts.hibernated } : undefined;
}
