/**
 * The controller under test, in this process. It has a proxy of its own between itself and the API server: there its
 * requests are recorded, delayed, failed, and cut off when it is killed. controller-process.ts runs it as we ship it.
 */
import { addInstanceController, readSettings } from "@berg/instances";
import type { Connection } from "@berg/kube";
import { type RunningPart, runInProcess, type Sight } from "./in-process.ts";
import { SkippingClock } from "./skipping-clock.ts";

export interface ControllerOptions extends Sight {
  /** Environment variables, as an organiser sets them: `{ MAX_INSTANCES: "1" }`. */
  env?: Record<string, string>;
}

export type RunningController = RunningPart;

export type StartController = typeof startInProcess;

export async function startInProcess(
  target: Connection,
  namespace: string,
  { env = {}, ...options }: ControllerOptions,
): Promise<RunningController> {
  return runInProcess("controller", target, options, (manager, metrics, log, heard) => {
    const { clock } = options;
    // Where a test lets time pass at once, it passes for the server as well.
    const serverClock = clock instanceof SkippingClock ? clock : heard;
    addInstanceController(manager, {
      settings: readSettings(env),
      namespace,
      metrics,
      log,
      serverClock,
      ...(clock && { clock }),
    });
  });
}
