/** Ends a container as it asked for: its hook, then its signal, then, when its time is up, the kernel. */
import { type Clock, type Pod, sleep } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import type { Container } from "../containers/shapes.ts";
import { type HookSite, runHook } from "./hooks.ts";
import type { PodEvents } from "./pod-events.ts";

export interface Killing {
  engine: Engine;
  clock: Clock;
  events: PodEvents;
  pod: Pod;
  container: Container;
  id: string;
  podIP: string;
  message: string;
  graceSeconds: number;
}

/** What is left after a hook that took all the time. */
const leastGraceSeconds = 2;

export async function killContainer(killing: Killing, signal: AbortSignal): Promise<void> {
  const { engine, clock, events, pod, container, id, message } = killing;
  events.ofContainer(pod, container, "Normal", "Killing", message);
  const preStop = container.lifecycle?.preStop;
  const began = clock.monotonic();
  if (preStop) {
    try {
      await within(killing, (limit) => runHook(preStop, site(killing), limit), signal);
    } catch {
      signal.throwIfAborted();
      // Nothing of what it said: it may hold what only the container should know.
      events.ofContainer(pod, container, "Warning", "FailedPreStopHook", "PreStopHook failed");
    }
  }
  const spent = Math.floor((clock.monotonic() - began) / 1000);
  await engine.stopContainer(id, Math.max(leastGraceSeconds, killing.graceSeconds - spent), signal);
}

/** A hook that is not done when the time is up is left alone: the container ends with it. */
async function within(
  { clock, graceSeconds }: Killing,
  work: (limit: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const timeUp = sleep(clock, graceSeconds * 1000, AbortSignal.any([signal, done.signal]));
  timeUp.catch(() => {});
  try {
    await Promise.race([work(AbortSignal.any([signal, done.signal])), timeUp]);
  } finally {
    done.abort();
  }
}

function site({ engine, clock, pod, container, id, podIP }: Killing): HookSite {
  return { engine, clock, pod, container, id, podIP };
}
