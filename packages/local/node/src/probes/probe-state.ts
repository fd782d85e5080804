/** What a row of probe outcomes means: thresholds, and when to stop asking. Pure. */
import type { Probe } from "../containers/shapes.ts";

export type ProbeKind = "startup" | "readiness" | "liveness";
export type Verdict = "success" | "failure" | "unknown";

export interface ProbeState {
  /** What the container is taken for. */
  readonly verdict: Verdict;
  /** The last outcome, and how many in a row there were of it. */
  readonly last: "success" | "failure" | undefined;
  readonly row: number;
  /** Nothing more is to be learnt of this container. */
  readonly isDone: boolean;
}

/** Not ready, but alive, until it is known better. */
const initially: Record<ProbeKind, Verdict> = { startup: "unknown", readiness: "failure", liveness: "success" };

export function firstState(kind: ProbeKind): ProbeState {
  return { verdict: initially[kind], last: undefined, row: 0, isDone: false };
}

export function nextState(
  kind: ProbeKind,
  probe: Pick<Probe, "failureThreshold" | "successThreshold">,
  state: ProbeState,
  outcome: "success" | "failure",
): ProbeState {
  const row = state.last === outcome ? state.row + 1 : 1;
  const needed = outcome === "failure" ? (probe.failureThreshold ?? 3) : (probe.successThreshold ?? 1);
  if (row < needed) return { ...state, last: outcome, row };
  // A container that is to be restarted, or has started, is not asked again.
  const isDone = kind === "startup" || (kind === "liveness" && outcome === "failure");
  return { verdict: outcome, last: outcome, row, isDone };
}
