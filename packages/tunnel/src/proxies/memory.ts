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

/** What did not succeed, and is tried again. */
export interface Setback {
  /** As its owner is told. */
  readonly why: string;
  /** In a row. */
  readonly failures: number;
  /** Monotonic. */
  readonly retryAt: number;
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

/** How the server behind a tunnel was found, where anything was ever wrong with it. */
export interface ServerState {
  /** Why it cannot be reached, as the tunnel's status says it; undefined since a stream has got through again. */
  readonly trouble: string | undefined;
  /** When this was found out. */
  readonly timestamp: string;
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
  /** Why the last image or start did not succeed, where that says nothing about the next. */
  readonly heldUp: Setback | undefined;
  /** Why the proxies do not hear each other, while they do not. */
  readonly outOfTouch: string | undefined;
  /** By name. */
  readonly tunnels: ReadonlyMap<string, AppliedTunnel>;
  /** By the tunnel's id. */
  readonly servers: ReadonlyMap<number, ServerState>;
  /** The highest id that was ever given to a tunnel of the pair. */
  readonly lastTunnelId: number;
  /** Why the last clean-up did not succeed. */
  readonly unclean: Setback | undefined;
}

/** Of an object that no process has worked on. */
export const nothingDone: Memory = Object.freeze({
  work: undefined,
  isTakenOver: true,
  isClean: true,
  isImageReady: false,
  pair: undefined,
  failure: undefined,
  heldUp: undefined,
  outOfTouch: undefined,
  tunnels: new Map(),
  servers: new Map(),
  lastTunnelId: 0,
  unclean: undefined,
});

/** Of one that somebody may have worked on. */
export const nothingKnown: Memory = Object.freeze({ ...nothingDone, isTakenOver: false, isClean: false });
