/** Which account pays: what its SubscriptionRequest says. */
import type { Stored } from "@berg/apimachinery";
import type { Cluster, SubscriptionRequest } from "@berg/resources";
import type { Finding } from "../judge/judge.ts";
import { reasons, texts } from "../vocabulary.ts";

type Binding = NonNullable<NonNullable<SubscriptionRequest["status"]>["binding"]>;

/** Conditions of a SubscriptionRequest; the one that tells most comes first. */
const telling = ["SelectorValid", "PoolAvailable", "Bound"];

export interface Account {
  readonly finding: Finding;
  /** Where there is one. */
  readonly binding?: Binding;
}

export function accountOf(request: Stored<SubscriptionRequest>, cluster: Stored<Cluster>): Account {
  const { name, deletionTimestamp } = request.metadata;
  if (!isRequestOf(request, cluster)) {
    const goes = deletionTimestamp !== undefined;
    return goes
      ? { finding: no(reasons.previousGoes, texts.previousGoes(name)) }
      : { finding: no(reasons.requestTaken, texts.requestTaken(name)) };
  }
  const { phase, binding, conditions = [] } = request.status ?? {};
  // One that somebody deletes stays Bound for a moment, and its account may be another's by the time of the Shoot.
  if (phase === "Bound" && binding && deletionTimestamp === undefined)
    return { binding, finding: { status: "True", reason: reasons.bound, message: texts.bound(binding.name) } };
  const trouble = telling.flatMap(
    (type) => conditions.find((one) => one.type === type && one.status !== "True") ?? [],
  )[0];
  return { finding: no(trouble?.reason ?? reasons.waiting, trouble?.message || texts.waiting) };
}

export function isRequestOf({ metadata }: SubscriptionRequest, cluster: Stored<Cluster>): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === cluster.metadata.uid) ?? false;
}

function no(reason: string, message: string): Finding {
  return { status: "False", reason, message };
}
