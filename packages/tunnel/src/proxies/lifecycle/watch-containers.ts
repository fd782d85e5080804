/**
 * Watches the client proxies' containers, all with one stream of the engine's events. Where the stream breaks, the engine
 * was perhaps restarted: each container is looked at when it is back.
 */
import { errorText, sleep } from "@berg/kube";
import { engineLabels, texts } from "../../vocabulary.ts";
import { type PairSurroundings, pairLabels } from "./surroundings.ts";

const firstDelayMs = 250;
const longestDelayMs = 10_000;

export interface ContainerListener {
  /** Those that should run, and the UID of the object of each. */
  running(): Iterable<{ uid: string; containerId: string }>;
  ended(uid: string, containerId: string, why: string): void;
}

/** Until aborted. */
export async function watchContainers(
  listener: ContainerListener,
  around: PairSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const { engine, clock, random, log } = around;
  let delayMs = firstDelayMs;
  while (!signal.aborted) {
    try {
      // Asked for before the look, so that nothing falls in between.
      const events = engine.events(pairLabels(around), signal);
      await lookAtAll(listener, around, signal);
      const outOfMemory = new Set<string>();
      for await (const { containerId, action, labels, isOutOfMemory: isSaidAtEnd = false } of events) {
        delayMs = firstDelayMs;
        const uid = labels[engineLabels.proxyUid];
        if (action === "oom") outOfMemory.add(containerId);
        if (!uid || (action !== "die" && action !== "destroy")) continue;
        const isOutOfMemory = outOfMemory.delete(containerId) || isSaidAtEnd;
        listener.ended(
          uid,
          containerId,
          isOutOfMemory ? texts.containerOutOfMemory : await howItEnded(containerId, around),
        );
      }
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error: errorText(error) }, "the engine's events cannot be followed; trying again");
    }
    await sleep(clock, delayMs * (0.5 + random() / 2), signal).catch(() => {});
    delayMs = Math.min(longestDelayMs, delayMs * 2);
  }
}

async function lookAtAll(listener: ContainerListener, around: PairSurroundings, signal: AbortSignal): Promise<void> {
  for (const { uid, containerId } of [...listener.running()]) {
    const container = await around.engine.inspectContainer(containerId, signal);
    if (container?.state.status === "running") continue;
    listener.ended(uid, containerId, await howItEnded(containerId, around));
  }
}

/** The engine removes it as soon as it has ended, and mostly knows no more about it. */
async function howItEnded(containerId: string, { engine }: PairSurroundings): Promise<string> {
  const state = (await engine.inspectContainer(containerId).catch(() => undefined))?.state;
  if (state?.oomKilled) return texts.containerOutOfMemory;
  return state?.status === "exited" ? texts.containerEnded(state.exitCode) : texts.containerGone;
}
