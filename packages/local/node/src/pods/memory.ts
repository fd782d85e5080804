/**
 * What is known of a pod beyond what the server and the engine say. None of it must survive our process: without it
 * things are tried again a little sooner, and nothing is done twice.
 */
import { type BackOff, raise } from "./back-off.ts";
import { reasons } from "./vocabulary.ts";

/** Why a container could not be started the last time, and when it may be tried again. */
export interface Failure {
  readonly reason: string;
  readonly message: string;
  readonly at: number;
  readonly retryAt: number;
}

/** The engine made the container and could not start it. */
export interface StartError {
  readonly message: string;
  readonly at: number;
}

export interface StartFailed {
  reason: string;
  message: string;
  /** Of the container that was made and could not be started. */
  startedId?: string | undefined;
  retryMs?: number | undefined;
}

export interface Memory {
  /** By container name. */
  readonly backOffs: ReadonlyMap<string, BackOff>;
  readonly failures: ReadonlyMap<string, Failure>;
  /** By engine ID. */
  readonly startErrors: ReadonlyMap<string, StartError>;
  /** Those that were ended for being unwell. */
  readonly unwell: ReadonlySet<string>;
  /** Why it must go: it uses more of the disk than it may. */
  readonly evicted: string | undefined;
  /** Why it must not run on this node. */
  readonly refused: string | undefined;
  /** Until when the sandbox is not tried again. */
  readonly sandboxRetryAt: number | undefined;
}

/** How long the reason of a failed start is shown before that of the waiting. */
const shownMs = 5_000;
/** Until a failed configuration is tried again; kubelet's own period. */
const configRetryMs = 10_000;
const firstSandboxRetryMs = 500;
const longestSandboxRetryMs = 60_000;

/** The memory of one pod, and all that can happen to it. */
export class PodMemory implements Memory {
  readonly backOffs = new Map<string, BackOff>();
  readonly failures = new Map<string, Failure>();
  readonly startErrors = new Map<string, StartError>();
  readonly unwell = new Set<string>();
  evicted: string | undefined;
  refused: string | undefined;
  sandboxRetryAt: number | undefined;
  #sandboxFailures = 0;

  /** One that ended is about to be started again. */
  restarting(name: string, endedAt: number, now: number): void {
    this.backOffs.set(name, raise(this.backOffs.get(name), endedAt, now));
  }

  started(name: string): void {
    this.failures.delete(name);
  }

  startFailed(name: string, failure: StartFailed, now: number): void {
    const { reason, message, startedId, retryMs = configRetryMs } = failure;
    if (startedId !== undefined) this.startErrors.set(startedId, { message, at: now });
    // One that ran, or was meant to, waits by its back-off after that.
    const hasEnded = startedId !== undefined || reason === reasons.postStart;
    this.failures.set(name, { reason, message, at: now, retryAt: now + (hasEnded ? shownMs : retryMs) });
  }

  sandboxFailed(now: number): void {
    const delay = Math.min(longestSandboxRetryMs, firstSandboxRetryMs * 2 ** Math.min(this.#sandboxFailures++, 10));
    this.sandboxRetryAt = now + delay;
  }

  sandboxMade(): void {
    this.#sandboxFailures = 0;
    this.sandboxRetryAt = undefined;
  }

  forgetAllBut(ids: ReadonlySet<string>): void {
    for (const id of this.startErrors.keys()) if (!ids.has(id)) this.startErrors.delete(id);
    for (const id of this.unwell) if (!ids.has(id)) this.unwell.delete(id);
  }
}
