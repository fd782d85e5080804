/** What a namespace that goes says about itself: why it is still there, in the words of Kubernetes' own controller. */
import type { Condition } from "@berg/apimachinery";
import { setCondition, type WantedCondition } from "@berg/kube";
import type { ServedKind } from "../served/read-served.ts";

/** What one look through a namespace found. */
export interface Findings {
  /** Groups that did not say which kinds they have. */
  unread: readonly string[];
  /** What went wrong, one text a kind. */
  failures: readonly string[];
  /** Undefined while pods are left: nothing else was looked at. */
  remaining: readonly Remaining[] | undefined;
}

export interface Remaining {
  kind: Pick<ServedKind, "group" | "resource">;
  count: number;
  /** How many of them are held by which finalizer. */
  finalizers: ReadonlyMap<string, number>;
}

export function conditionsOf(findings: Findings, old: Condition[] | undefined, now: string): Condition[] {
  let conditions = old ?? [];
  for (const wanted of wantedConditions(findings)) conditions = setCondition(conditions, wanted, now);
  return conditions;
}

/** For people, and for the log. */
export function discoveryFailure(unread: readonly string[]): string {
  const texts = unread.map((groupVersion) => `${groupVersion}: stale GroupVersion discovery: ${groupVersion}`);
  return `unable to retrieve the complete list of server APIs: ${texts.join(", ")}`;
}

function wantedConditions({ unread, failures, remaining = [] }: Findings): WantedCondition[] {
  const finalizers = new Map<string, number>();
  for (const [finalizer, count] of remaining.flatMap((one) => [...one.finalizers])) {
    finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count);
  }
  return [
    unread.length > 0
      ? isSo(
          "NamespaceDeletionDiscoveryFailure",
          "DiscoveryFailed",
          `Discovery failed for some groups, ${unread.length} failing: ${discoveryFailure(unread)}`,
        )
      : isNot("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    isNot(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    failures.length > 0
      ? isSo(
          "NamespaceDeletionContentFailure",
          "ContentDeletionFailed",
          `Failed to delete all resource types, ${failures.length} remaining: ${inOrder(failures)}`,
        )
      : isNot(
          "NamespaceDeletionContentFailure",
          "ContentDeleted",
          "All content successfully deleted, may be waiting on finalization",
        ),
    remaining.length > 0
      ? isSo(
          "NamespaceContentRemaining",
          "SomeResourcesRemain",
          `Some resources are remaining: ${inOrder(remaining.map(countText))}`,
        )
      : isNot("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    finalizers.size > 0
      ? isSo(
          "NamespaceFinalizersRemaining",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${inOrder([...finalizers].map(holderText))}`,
        )
      : isNot("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
  ];
}

const isSo = (type: string, reason: string, message: string): WantedCondition => {
  return { type, status: "True", reason, message };
};
const isNot = (type: string, reason: string, message: string): WantedCondition => {
  return { type, status: "False", reason, message };
};

// The group stands there with its dot even where it is the core group, which has no name.
const countText = ({ kind, count }: Remaining) => `${kind.resource}.${kind.group} has ${count} resource instances`;
const holderText = ([finalizer, count]: [string, number]) => `${finalizer} in ${count} resource instances`;

function inOrder(texts: readonly string[]): string {
  return [...texts].sort((a, b) => (a < b ? -1 : 1)).join(", ");
}
