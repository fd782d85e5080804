import type { InstanceState } from "../logic/instance-state.ts";

const looks = {
  none: "dot-neutral",
  starting: "dot-progress",
  running: "dot-success",
  stopping: "dot-neutral",
  failed: "dot-danger",
} as const;

/** The state of an instance as a colour; the state stands beside it in words. */
export function StateDot({ state }: { state: InstanceState }) {
  return <span className={`dot ${looks[state]}`} aria-hidden="true" />;
}
