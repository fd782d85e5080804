/**
 * What becomes of a CustomResourceDefinition over time: its names are accepted, it is established, and when it is deleted
 * its objects go first. Kubernetes has controllers for this; here it is one function that the server calls on every
 * change of a definition, until it has nothing more to do.
 */
import { type Condition, formatTime, jsonEqual } from "@berg/apimachinery";
import { approvalOf } from "./approval.ts";
import { type DefinitionStatus, isTrue, type Names, type StoredDefinition } from "./definition.ts";

export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export type NextStep =
  | { do: "nothing" }
  /** Write it through the status subresource. */
  | { do: "write status"; status: DefinitionStatus }
  /** Then ask again. */
  | { do: "delete its objects" }
  /** Its objects are gone, and so may it be. */
  | { do: "remove finalizer"; status: DefinitionStatus };

export interface Surroundings {
  /** All definitions, with this one or without. */
  all: Iterable<StoredDefinition>;
  /** Whether there are objects of the kind. */
  hasObjects: boolean;
  /** ms since 1970. */
  now: number;
}

export function nextStep(crd: StoredDefinition, { all, hasObjects, now }: Surroundings): NextStep {
  const time = formatTime(now);
  if (crd.metadata.deletionTimestamp) return endingStep(crd, hasObjects, time);
  const status = settledStatus(crd, all, time);
  return jsonEqual(status, crd.status) ? { do: "nothing" } : { do: "write status", status };
}

type Verdict = Required<Pick<Condition, "type" | "status" | "reason" | "message">>;

function settledStatus(crd: StoredDefinition, all: Iterable<StoredDefinition>, time: string): DefinitionStatus {
  const { acceptedNames, conflict } = acceptNames(crd, all);
  const accepted: Verdict = conflict
    ? { type: "NamesAccepted", status: "False", ...conflict }
    : { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
  const approval = approvalOf(crd.spec.group, crd.metadata.annotations);
  const verdicts = [accepted, ...establish(crd, !conflict)];
  if (approval) {
    const { reason, message } = approval;
    const status = reason === "ApprovedAnnotation" ? "True" : "False";
    verdicts.unshift({ type: "KubernetesAPIApprovalPolicyConformant", status, reason, message });
  }
  const conditions = verdicts.reduce(
    (known, verdict) => withCondition(known, verdict, time),
    crd.status?.conditions ?? [],
  );
  return { ...crd.status, acceptedNames, conditions };
}

/** Once established, always established. */
function establish(crd: StoredDefinition, isAccepted: boolean): Verdict[] {
  if (isTrue(crd, "Established")) return [];
  const message = "the initial names have been accepted";
  if (isAccepted) return [{ type: "Established", status: "True", reason: "InitialNamesAccepted", message }];
  return [{ type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }];
}

interface Acceptance {
  acceptedNames: Partial<Names>;
  conflict?: { reason: string; message: string };
}

/** Names that another definition of the group holds are not given; those that were given once are kept. */
function acceptNames(crd: StoredDefinition, all: Iterable<StoredDefinition>): Acceptance {
  const wanted = crd.spec.names;
  const held = crd.status?.acceptedNames ?? {};
  const used = usedNames(crd, all);
  const acceptedNames: Partial<Names> = { ...held };
  let conflict: Acceptance["conflict"];
  const accept = (name: "plural" | "singular" | "kind" | "listKind", reason: string, taken: Set<string>) => {
    const value = wanted[name] ?? "";
    if (value !== held[name] && taken.has(value)) conflict = { reason, message: inUse(value) };
    else acceptedNames[name] = value;
  };
  accept("plural", "PluralConflict", used.resources);
  accept("singular", "SingularConflict", used.resources);
  const shortNames = wanted.shortNames ?? [];
  const taken = shortNames.filter((name) => !held.shortNames?.includes(name) && used.resources.has(name));
  if (taken.length > 0) {
    const texts = taken.map(inUse);
    conflict = { reason: "ShortNamesConflict", message: texts.length === 1 ? `${texts[0]}` : `[${texts.join(", ")}]` };
  } else if (shortNames.length > 0) acceptedNames.shortNames = shortNames;
  else delete acceptedNames.shortNames;
  accept("kind", "KindConflict", used.kinds);
  accept("listKind", "ListKindConflict", used.kinds);
  if (wanted.categories?.length) acceptedNames.categories = wanted.categories;
  else delete acceptedNames.categories;
  return { acceptedNames, ...(conflict && { conflict }) };
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;

function usedNames(crd: StoredDefinition, all: Iterable<StoredDefinition>) {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { metadata, spec, status } of all) {
    if (spec.group !== crd.spec.group || metadata.name === crd.metadata.name) continue;
    const { plural = "", singular = "", shortNames = [], kind = "", listKind = "" } = status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

function endingStep(crd: StoredDefinition, hasObjects: boolean, time: string): NextStep {
  if (!crd.metadata.finalizers?.includes(cleanupFinalizer)) return { do: "nothing" };
  const wasEstablished = isTrue(crd, "Established");
  if (hasObjects && wasEstablished) {
    const status = withVerdict(crd, time, {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    });
    return jsonEqual(status, crd.status) ? { do: "delete its objects" } : { do: "write status", status };
  }
  const [reason, message] = wasEstablished
    ? (["InstanceDeletionCompleted", "removed all instances"] as const)
    : (["NeverEstablished", "resource was never established"] as const);
  return {
    do: "remove finalizer",
    status: withVerdict(crd, time, { type: "Terminating", status: "False", reason, message }),
  };
}

function withVerdict(crd: StoredDefinition, time: string, verdict: Verdict): DefinitionStatus {
  return { ...crd.status, conditions: withCondition(crd.status?.conditions ?? [], verdict, time) };
}

/** In the place of the one of its type; the time is that of the last change of its status. */
function withCondition(conditions: readonly Condition[], verdict: Verdict, time: string): Condition[] {
  const known = conditions.find(({ type }) => type === verdict.type);
  const lastTransitionTime = (known?.status === verdict.status && known.lastTransitionTime) || time;
  const { type, status, reason, message } = verdict;
  const condition: Condition = { lastTransitionTime, message, reason, status, type };
  return known ? conditions.map((each) => (each === known ? condition : each)) : [...conditions, condition];
}
