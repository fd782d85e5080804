/** What the findings about its pods amount to for an instance. */
import type { StuckReason } from "../vocabulary.ts";
import type { Finding } from "./findings.ts";

export type Summary =
  /** Every container has a pod that is well. */
  | { readonly is: "well" }
  | { readonly is: "stuck"; readonly reason: StuckReason; readonly message: string; readonly pods: readonly string[] }
  | { readonly is: "undecided" };

/** `isComplete`: whether each pod that is there was looked at. One that was not may be the one that is stuck. */
export function summaryOf(findings: readonly Finding[], isComplete = true): Summary {
  const byContainer = Map.groupBy(inOrder(findings), ({ container }) => container);
  const stuck: (Finding & { verdict: { is: "stuck" } })[] = [];
  let areWell = isComplete && byContainer.size > 0;
  for (const pods of byContainer.values()) {
    const counted = withoutReplaced(pods);
    stuck.push(...counted.filter(isStuck));
    areWell &&= counted.some(({ verdict }) => verdict.is === "well");
  }
  const [first] = stuck;
  if (first) {
    const { container, verdict } = first;
    const message = `Container ${container}: ${verdict.message}`;
    return { is: "stuck", reason: verdict.reason, message, pods: stuck.map(({ podUid }) => podUid) };
  }
  return { is: areWell ? "well" : "undecided" };
}

/** A pod that was evicted stays: what it says counts only until there is another one. */
function withoutReplaced(pods: Finding[]): Finding[] {
  const isReplaced = pods.some(({ isFailed, isGoing }) => !isFailed && !isGoing);
  return isReplaced ? pods.filter(({ isFailed }) => !isFailed) : pods;
}

function isStuck(finding: Finding): finding is Finding & { verdict: { is: "stuck" } } {
  return finding.verdict.is === "stuck";
}

/** In whatever order they were found, the same one is told of. */
function inOrder(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => compare(a.container, b.container) || compare(a.podUid, b.podUid));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
