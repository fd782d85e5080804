/** Why a container does not run: what its status and its events say. */
import { errorText } from "@berg/kube";
import { EngineError } from "@berg/local-engine";
import type { Tell } from "./pod-images.ts";

/** Why a container does not run, by the reason that its status shows. */
export class StartFailure extends Error {
  readonly reason: string;
  /** Of the container that the engine made and could not start. */
  readonly startedId: string | undefined;
  readonly retryMs: number | undefined;
  constructor(reason: string, message: string, more: { startedId?: string; retryMs?: number; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.name = "StartFailure";
    this.reason = reason;
    this.startedId = more.startedId;
    this.retryMs = more.retryMs;
  }
}

/** That the engine cannot be reached is the node's trouble, and nothing to tell of each container. */
export function failed(tell: Tell, reason: string, message: string, cause: unknown, startedId?: string): StartFailure {
  if (!isUnreachable(cause)) tell("Warning", "Failed", `Error: ${message}`);
  return new StartFailure(reason, message, { cause, ...(startedId !== undefined && { startedId }) });
}

export function isUnreachable(error: unknown): boolean {
  if (error instanceof EngineError) return error.status === 0;
  return error instanceof Error && error.cause !== undefined && isUnreachable(error.cause);
}

/** What was tried is known from the reason; and each container has another ID, which would make another event. */
export function engineWords(error: unknown, id: string): string {
  return errorText(error)
    .replace(/^cannot (start|create) container \S+: /, "")
    .replaceAll(id, "this container");
}
