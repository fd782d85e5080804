/** What one probe brought. */
export type ProbeOutcome =
  | { result: "success" }
  /** Counts as a success, and is told. */
  | { result: "warning"; output: string }
  | { result: "failure"; output: string }
  /** It could not be asked: it counts as nothing. */
  | { result: "error"; message: string };

/** kubelet keeps no more of what a probe says. */
export const longestOutput = 10 * 1024;
