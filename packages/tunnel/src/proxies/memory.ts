/**
 * What this process knows of the proxies of one object beyond what the object itself says. All of it can be found out
 * anew: a controller that comes after this one looks at the engine and the host, and at the object.
 */
import type { TunnelConfiguration } from "@berg/resources";

/** What is under way outside the reconcile. Its result stands here when it is over. */
export type Work = "takeOver" | "build" | "start" | "apply" | "cleanUp";

/** Where the two proxies are. */
export interface PairFacts {
  readonly containerId: string;
  readonly processId: number;
  /** RFC 3339 with microseconds. */
  readonly processStartTime: string;
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly controlPort: number;
  readonly dataPort: number;
}

/** What has become of one tunnel of the spec. */
export interface AppliedTunnel {
  readonly id: number;
  /** Undefined where an earlier process asked for it, and it is not what the spec says. */
  readonly configuration: TunnelConfiguration | undefined;
  readonly state: "Ready" | "Failed";
  readonly errorMessage: string;
  readonly addresses: readonly string[];
  readonly port: number;
  /** When this was found out. */
  readonly timestamp: string;
  /** How often it has failed in a row. */
  readonly failures: number;
  /** Monotonic; where it is to be tried again. */
  readonly retryAt: number | undefined;
  /** It has to go, and the pair did not let it go. Then `retryAt` holds, whatever the spec says by now. */
  readonly isUndeleted?: true;
}

export interface Memory {
  readonly work: Work | undefined;
  /** Whether what an earlier process left behind was looked at. */
  readonly isTakenOver: boolean;
  /** Whether nothing of the pair can be on the engine or the host, but its log files. */
  readonly isClean: boolean;
  readonly isImageReady: boolean;
  readonly pair: PairFacts | undefined;
  /** Why there is no pair, or none any more. */
  readonly failure: string | undefined;
  /** Why the proxies do not hear each other, while they do not. */
  readonly outOfTouch: string | undefined;
  /** By name. */
  readonly tunnels: ReadonlyMap<string, AppliedTunnel>;
  /** The highest id that was ever given to a tunnel of the pair. */
  readonly lastTunnelId: number;
  /** Why the last clean-up did not succeed, and when it is tried again (monotonic). */
  readonly unclean: { readonly why: string; readonly failures: number; readonly retryAt: number } | undefined;
}

/** Of an object that no process has worked on. */
export const nothingDone: Memory = Object.freeze({
  work: undefined,
  isTakenOver: true,
  isClean: true,
  isImageReady: false,
  pair: undefined,
  failure: undefined,
  outOfTouch: undefined,
  tunnels: new Map(),
  lastTunnelId: 0,
  unclean: undefined,
});

/** Of one that somebody may have worked on. */
export const nothingKnown: Memory = Object.freeze({ ...nothingDone, isTakenOver: false, isClean: false });
