/** Whose turn it is among a pod's containers, and what one that does not run waits for. Pure. */
import { type Container, initContainersOf, isSidecar, mainContainersOf } from "../containers/shapes.ts";
import { waitsUntil } from "./back-off.ts";
import { attemptsOf, hasEnded, isInSandbox, isRunning, latestOf, restarts, type SeenContainer } from "./seen.ts";
import type { View } from "./view.ts";
import { reasons, texts } from "./vocabulary.ts";

export interface Waiting {
  reason: string;
  message: string;
  /** When to look again. */
  until: number;
}

export interface Turn {
  container: Container;
  latest: SeenContainer | undefined;
}

export function hasStarted(view: View, container: Container): boolean {
  const latest = latestOf(view.seen, container.name);
  if (!latest || !isRunning(latest)) return false;
  return container.startupProbe === undefined || view.verdicts(latest.id).startup === "success";
}

/** Once a main container was made, the pod is initialized, whatever becomes of its init containers. */
export function isInitialized(view: View): boolean {
  if (mainContainersOf(view.pod).some(({ name }) => hasBegun(view, latestOf(view.seen, name)))) return true;
  return initContainersOf(view.pod).every((container) => hasDoneItsWork(view, container));
}

function hasDoneItsWork(view: View, container: Container): boolean {
  if (isSidecar(container)) return hasStarted(view, container);
  const latest = latestOf(view.seen, container.name);
  return latest !== undefined && isInSandbox(view.seen, latest) && endedOf(view, latest)?.exitCode === 0;
}

/** Made and started, or tried to. */
function hasBegun(view: View, latest: SeenContainer | undefined): boolean {
  if (!latest || !isInSandbox(view.seen, latest)) return false;
  return latest.status !== "created" || view.memory.startErrors.has(latest.id);
}

/** Those that should be started now or when their waiting is over. */
export function toStart(view: View): Turn[] {
  const init = initContainersOf(view.pod);
  const initialized = isInitialized(view);
  const turns: Turn[] = [];
  for (const container of init) {
    if (initialized && !isSidecar(container)) continue;
    if (!initialized && hasDoneItsWork(view, container)) continue;
    const latest = latestOf(view.seen, container.name);
    if (shouldStart(view, container, latest)) turns.push({ container, latest });
    // The next one waits for this one.
    if (!initialized) return turns;
  }
  for (const container of mainContainersOf(view.pod)) {
    const latest = latestOf(view.seen, container.name);
    if (shouldStart(view, container, latest)) turns.push({ container, latest });
  }
  return turns;
}

export function shouldStart(view: View, container: Container, latest: SeenContainer | undefined): boolean {
  if (!latest) return true;
  const ended = endedOf(view, latest);
  // With a new network the pod is set up anew, by init containers that ended well before.
  const isDoneAnew = isInit(view, container) && !isSidecar(container) && !isInSandbox(view.seen, latest);
  if (ended) return isDoneAnew || restarts(view.pod, container, ended.exitCode);
  return latest.status === "created";
}

function isInit({ pod }: View, { name }: Container): boolean {
  return initContainersOf(pod).some((container) => container.name === name);
}

/** How the container ended; undefined where it runs, or never did. */
export function endedOf(
  { memory }: Pick<View, "memory">,
  seen: SeenContainer,
): { exitCode: number; at: number } | undefined {
  const startError = memory.startErrors.get(seen.id);
  if (startError) return { exitCode: 128, at: startError.at };
  return hasEnded(seen) ? { exitCode: seen.exitCode, at: seen.finishedAt ?? 0 } : undefined;
}

/**
 * The end from which its waiting counts; undefined where it does not wait. One that was ended for being unwell is
 * started again at once, and its waiting counts from the end before: kubelet ends and starts it in one go.
 */
export function backOffSince(view: View, { name }: Container): number | undefined {
  const [latest, previous] = attemptsOf(view.seen, name);
  const counted = latest && view.memory.unwell.has(latest.id) ? previous : latest;
  return counted && endedOf(view, counted)?.at;
}

/** What a container that should be started waits for; undefined where it may start now. */
export function waitingOf(view: View, { container, latest }: Turn): Waiting | undefined {
  const { memory, now, pod } = view;
  const failure = memory.failures.get(container.name);
  if (failure && now < failure.retryAt) {
    const { reason, message, retryAt } = failure;
    return { reason, message, until: retryAt };
  }
  const endedAt = latest && backOffSince(view, container);
  if (endedAt === undefined) return undefined;
  const backOff = memory.backOffs.get(container.name);
  const until = waitsUntil(backOff, endedAt, now);
  if (until === undefined || !backOff) return undefined;
  return { reason: reasons.crashLoop, message: texts.backOff(backOff.delayMs, container.name, pod), until };
}
