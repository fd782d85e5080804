/** What is happening to an instance right now, in one sentence. */
import type { Stored } from "@berg/apimachinery";
import { conditionTypes, reasons } from "@berg/instances";
import { findCondition } from "@berg/kube";
import { type ChallengeInstance, isEnding } from "@berg/resources";
import { printable } from "./printable.ts";

export function stageOf(instance: Stored<ChallengeInstance>): string {
  return printable(isEnding(instance) ? endingStage(instance) : livingStage(instance));
}

function livingStage({ status = {} }: ChallengeInstance): string {
  const { phase, message, conditions } = status;
  switch (phase) {
    case "Pending":
      return `Waiting. ${message ?? ""}`.trim();
    case "Creating":
      return message ?? "Making its namespace, network policy, services, routes and flag.";
    case "Starting":
      // Trouble stands in the message, and what is merely waited for in the condition alone.
      return `Starting. ${message ?? findCondition(conditions, conditionTypes.podsReady)?.message ?? ""}`.trim();
    case "Running":
      return message === undefined ? "Running." : `Running, with trouble. ${message}`;
    case "Failed":
      return `Failed. ${message ?? ""}`.trim();
    default:
      return "Asked for.";
  }
}

function endingStage({ metadata, status = {} }: ChallengeInstance): string {
  const { phase, message, conditions } = status;
  const going = findCondition(conditions, conditionTypes.namespaceDeleted);
  if (phase === "Terminated") {
    const { finalizers = [] } = metadata;
    const held = finalizers.length === 0 ? "" : ` The object is held by ${finalizers.join(", ")}.`;
    return `Everything of it is gone.${held}`;
  }
  if (phase !== "Terminating") return "Its end was asked for.";
  // Only what keeps it: the rest is in the message.
  const trouble = going && going.reason !== reasons.stoppingWorkload ? ` ${going.message ?? ""}` : "";
  return `${message ?? "Ending."}${trouble}`;
}
