/** Everything about one pod at one moment: what decisions and status are made of, and nothing else. */
import type { Pod } from "@berg/kube";
import type { Verdicts } from "../probes/prober.ts";
import type { Memory } from "./memory.ts";
import type { SeenPod } from "./seen.ts";

export interface View {
  /** As the server has it; the last that was seen where it is gone. */
  readonly pod: Pod;
  /** No longer on the server, or another by now. */
  readonly isGone: boolean;
  readonly seen: SeenPod;
  readonly memory: Memory;
  /** Nothing is left of it on this machine. */
  readonly isCleared: boolean;
  /** What the probes say of a running container, by engine ID. */
  readonly verdicts: (id: string) => Verdicts;
  /** What something is being done about already: `sandbox`, or the name of a container. */
  readonly busy: ReadonlySet<string>;
  /** The container that is being started: the next one waits for it, and for its hook. */
  readonly starting: string | undefined;
  readonly now: number;
}

/** The name under which work on the pod as a whole is known as busy. No container can have it. */
export const sandboxWork = "(sandbox)";

/** Why a pod's containers are to end; undefined where they are not. */
export type Ending = "gone" | "deleted" | "deadline" | "evicted" | "refused" | "finished";
