/** What a PodDisruptionBudget's status says about one more pod that is to go. */
import type { Condition, StatusError } from "@berg/apimachinery";
import { forbidden, refusal } from "../../errors/refusals.ts";
import { draftOf } from "../json.ts";
import type { AnyObject } from "../resource.ts";

interface BudgetStatus {
  observedGeneration?: number;
  disruptionsAllowed?: number;
  currentHealthy?: number;
  desiredHealthy?: number;
  disruptedPods?: Record<string, string>;
  conditions?: Condition[];
}

export type Budget = AnyObject & {
  spec?: { unhealthyPodEvictionPolicy?: string };
  status?: BudgetStatus;
};

const mostDisrupted = 2000;

/** The budget with one disruption less; throws where it has none left. */
export function takeDisruption(budget: Budget, pod: string, now: string): AnyObject {
  const { metadata, status = {} } = budget;
  const { name } = metadata;
  const allowed = status.disruptionsAllowed ?? 0;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10);
  const subject = { group: "policy", resource: "poddisruptionbudget", name };
  if (allowed < 0) throw forbidden(subject, "pdb disruptions allowed is negative");
  if (Object.keys(status.disruptedPods ?? {}).length > mostDisrupted)
    throw forbidden(subject, "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  if (allowed === 0) throw tooManyRequests(whyNone(name, status));
  const next = draftOf(budget);
  next.status = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...status.disruptedPods, [pod]: now },
    ...(allowed === 1 && { conditions: withNoneLeft(status, now) }),
  };
  return next;
}

function whyNone(name: string, { conditions = [], currentHealthy = 0, desiredHealthy = 0 }: BudgetStatus): string {
  const condition = conditions.find(({ type, status }) => type === "DisruptionAllowed" && status === "False");
  const message = condition?.message ?? "";
  if (message !== "" && condition?.reason === "SyncFailed")
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  const text = `The disruption budget ${name} does not allow evicting pods currently`;
  return message === "" ? text : `${text} (${condition?.reason ?? ""}): ${message}`;
}

function withNoneLeft({ conditions = [], observedGeneration }: BudgetStatus, now: string): Condition[] {
  const type = "DisruptionAllowed";
  const none: Condition = {
    type,
    status: "False",
    reason: "InsufficientPods",
    message: "",
    lastTransitionTime: now,
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
  return [...conditions.filter((condition) => condition.type !== type), none];
}

function tooManyRequests(cause: string, retryAfterSeconds?: number): StatusError {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  return refusal(429, "TooManyRequests", message, {
    causes: [{ reason: "DisruptionBudget", message: cause }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
