/**
 * Restarts an instance: whoever asks raises `spec.restarts`; `status.restarts` tells how many have been answered.
 *
 * The number is an annotation in the pod templates, so that raising it makes the Deployments replace their pods. It follows
 * from the spec alone: a crash between two writes repeats none, and several restarts asked for at once are one.
 */
import { type Deployment, Deployments, type Pod } from "@berg/kube";
import { annotations } from "@berg/resources";
import type { Child } from "../builders/blueprint.ts";
import { deploymentsOf, type Snapshot } from "../observe/snapshot.ts";
import type { StatusDraft } from "./draft.ts";

/** Whether the Deployment is to be changed because a restart was asked for, and not because somebody has edited it. */
export function isRestart({ instance }: Snapshot, { type }: Child): boolean {
  const { spec, status } = instance;
  return type.kind === Deployments.kind && (spec.restarts ?? 0) > (status?.restarts ?? 0);
}

/** Once all Deployments have the number, they replace their pods whatever becomes of us. */
export function answerRestart(seen: Snapshot, draft: StatusDraft): void {
  const { restarts = 0 } = seen.instance.spec;
  if (restarts <= (draft.status.restarts ?? 0)) return;
  const deployments = deploymentsOf(seen);
  if (deployments.length > 0 && deployments.every((each) => restartsOf(each.spec?.template) === restarts))
    draft.status.restarts = restarts;
}

/** Whether the Deployment is about to replace the pod. How it is concerns nobody any more. */
export function isOutdated(pod: Pod, { spec }: Deployment): boolean {
  return restartsOf(pod) < restartsOf(spec?.template);
}

function restartsOf(object: Pick<Pod, "metadata"> | NonNullable<Deployment["spec"]>["template"] | undefined): number {
  return Number(object?.metadata?.annotations?.[annotations.restarts] ?? 0);
}
