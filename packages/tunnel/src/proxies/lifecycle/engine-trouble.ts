/** Whether it is the engine that is missing, and nothing else that is wrong. */
import { errorText } from "@berg/kube";
import { type Engine, EngineError } from "@berg/local-engine";

/** Why the engine cannot be used; undefined where it can. */
export async function engineTrouble(engine: Pick<Engine, "info">, signal: AbortSignal): Promise<string | undefined> {
  try {
    await engine.info(signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return errorText(error);
  }
}

/** Whether it had no answer: then it says nothing about what was asked for. */
export function isEngineAway(error: unknown): boolean {
  if (error instanceof EngineError && error.status === 0) return true;
  return error instanceof Error && error.cause !== undefined && isEngineAway(error.cause);
}
