/**
 * What to do next for one pod. Pure: from what is seen, without knowing how it came to be so. Steps that do not get in
 * each other's way come together; each is taken once, since what is being worked on is busy.
 */
import { parseTime } from "@berg/apimachinery";
import { type Container, findContainer, initContainersOf, isSidecar, mainContainersOf } from "../containers/shapes.ts";
import { backOffSince, shouldStart, toStart, waitingOf } from "./container-turn.ts";
import { graceOf } from "./grace.ts";
import type { First } from "./made-ahead.ts";
import { attemptsOf, isRunning, latestOf, type SeenContainer, sandboxOf } from "./seen.ts";
import { type Ending, sandboxWork, type View } from "./view.ts";
import { reasons, texts } from "./vocabulary.ts";

export type Step =
  /** Volumes, network and pause container; and the container that will be started first can be made meanwhile. */
  | { do: "make-sandbox"; attempt: number; first: First | undefined }
  /** Its network goes with it. It stays, for as long as there are containers that were in it: Podman wants it so. */
  | { do: "stop-sandbox"; id: string }
  | { do: "start"; container: Container; attempt: number; endedAt: number | undefined }
  | { do: "kill"; id: string; container: Container; message: string; graceSeconds: number; isUnwell?: boolean }
  /** What is of no use any more: old attempts, dead pause containers, those that never started. */
  | { do: "remove"; ids: readonly string[] }
  /** Removes containers, files and network of a pod that is over; then the object itself, where that is wanted. */
  | { do: "clear"; deletesObject: boolean };

export interface Decision {
  steps: readonly Step[];
  ending: Ending | undefined;
  /** When to look again without cause. */
  lookAgainAt: number | undefined;
}

/** Of each container beside the latest: whose log `kubectl logs --previous` shows. */
const keptAttempts = 2;

export function decide(view: View): Decision {
  const ending = endingOf(view);
  if (ending) return { steps: end(view, ending), ending, lookAgainAt: undefined };
  return { ...run(view), ending };
}

/** Decided anew each time. A phase that was written is never taken back, so that an end stays one. */
export function endingOf(view: View): Ending | undefined {
  const { pod, isGone, now } = view;
  if (isGone) return "gone";
  if (pod.metadata.deletionTimestamp) return "deleted";
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return "finished";
  const deadline = deadlineOf(view);
  if (deadline !== undefined && now >= deadline) return "deadline";
  if (view.memory.evicted !== undefined) return "evicted";
  if (view.memory.refused !== undefined) return "refused";
  return hasFinished(view) ? "finished" : undefined;
}

function deadlineOf({ pod }: View): number | undefined {
  const { activeDeadlineSeconds } = pod.spec ?? {};
  const startTime = pod.status?.startTime;
  if (activeDeadlineSeconds === undefined || startTime === undefined) return undefined;
  return parseTime(startTime) + activeDeadlineSeconds * 1000;
}

/** Every main container has ended for good, or an init container has failed for good. */
function hasFinished(view: View): boolean {
  const isOver = (container: Container) => {
    const latest = latestOf(view.seen, container.name);
    if (!latest || isRunning(latest) || view.busy.has(container.name)) return false;
    return !shouldStart(view, container, latest);
  };
  const main = mainContainersOf(view.pod);
  if (main.length > 0 && main.every(isOver)) return true;
  return initContainersOf(view.pod).some((container) => {
    const latest = latestOf(view.seen, container.name);
    return !isSidecar(container) && latest?.exitCode !== 0 && isOver(container);
  });
}

function run(view: View): Pick<Decision, "steps" | "lookAgainAt"> {
  const { seen, busy, memory, now } = view;
  const times = [deadlineOf(view)];
  if (busy.has(sandboxWork)) return { steps: [], lookAgainAt: earliest(times) };
  const sandbox = sandboxOf(seen);
  if (!sandbox) {
    const waits = memory.sandboxRetryAt !== undefined && now < memory.sandboxRetryAt;
    if (waits) return { steps: [], lookAgainAt: earliest([...times, memory.sandboxRetryAt]) };
    return { steps: remakeSandbox(view), lookAgainAt: earliest(times) };
  }

  const steps: Step[] = [...unhealthy(view)];
  const ready: Container[] = [];
  for (const turn of toStart(view)) {
    if (busy.has(turn.container.name)) continue;
    const waiting = waitingOf(view, turn);
    if (waiting) times.push(waiting.until);
    else ready.push(turn.container);
  }
  const [next] = ready;
  if (next && view.starting === undefined) steps.push(startStep(view, next));
  const useless = uselessOf(view, sandbox, next && latestOf(seen, next.name)?.id);
  if (useless.length > 0) steps.push({ do: "remove", ids: useless });
  return { steps, lookAgainAt: earliest(times) };
}

/** Without its network a container is of no use: all are ended, then everything begins anew. */
function remakeSandbox(view: View): Step[] {
  const { seen, busy } = view;
  const running = seen.containers.filter(isRunning);
  if (running.length > 0)
    return running.filter((one) => !busy.has(one.identity.container)).flatMap((one) => killStep(view, one));
  if (busy.size > 0) return [];
  const attempt = 1 + Math.max(-1, ...seen.pauses.map(({ identity }) => identity.attempt));
  return [{ do: "make-sandbox", attempt, first: firstOf(view) }];
}

/** None where it has to wait, or something half made has its name. */
function firstOf(view: View): First | undefined {
  const [turn] = toStart(view);
  if (!turn || turn.latest?.status === "created" || waitingOf(view, turn)) return undefined;
  const { container, attempt } = startStep(view, turn.container);
  return { container, attempt };
}

function startStep(view: View, container: Container): Extract<Step, { do: "start" }> {
  const { seen, memory, pod } = view;
  const latest = latestOf(seen, container.name);
  const old = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].find(
    ({ name }) => name === container.name,
  );
  // The engine may have lost it; the count goes on.
  const afterOld = old?.containerID ? old.restartCount + 1 : (old?.restartCount ?? 0);
  const isUnused = latest?.status === "created" && !memory.startErrors.has(latest.id);
  const afterSeen = latest ? latest.identity.attempt + (isUnused ? 0 : 1) : afterOld;
  return { do: "start", container, attempt: afterSeen, endedAt: backOffSince(view, container) };
}

function* unhealthy(view: View): Generator<Step> {
  for (const container of [...initContainersOf(view.pod), ...mainContainersOf(view.pod)]) {
    const latest = latestOf(view.seen, container.name);
    if (!latest || !isRunning(latest) || view.busy.has(container.name)) continue;
    const { startup, liveness } = view.verdicts(latest.id);
    const probe = startup === "failure" ? "startup" : liveness === "failure" ? "liveness" : undefined;
    if (!probe) continue;
    const own = probe === "startup" ? container.startupProbe : container.livenessProbe;
    const graceSeconds = own?.terminationGracePeriodSeconds ?? graceOf(view);
    const message = texts.unhealthy(container.name, probe);
    yield { do: "kill", id: latest.id, container, message, graceSeconds, isUnwell: true };
  }
}

/** Old attempts, and what was left half made; but for the one whose start takes it over, or removes it itself. */
function uselessOf(view: View, sandbox: SeenContainer, starting: string | undefined): string[] {
  const { seen, busy, memory } = view;
  const names = new Set(seen.containers.map(({ identity }) => identity.container));
  const old = [...names]
    .filter((name) => !busy.has(name))
    .flatMap((name) => attemptsOf(seen, name).slice(keptAttempts));
  const halfMade = seen.containers.filter(
    ({ id, status, identity }) =>
      status === "created" && !memory.startErrors.has(id) && !busy.has(identity.container) && id !== starting,
  );
  const isHeld = (pause: SeenContainer) => seen.containers.some(({ identity }) => identity.sandbox === pause.id);
  const pauses = seen.pauses.filter((pause) => pause.id !== sandbox.id && !isHeld(pause));
  return [...new Set([...old, ...halfMade, ...pauses].map(({ id }) => id))];
}

function end(view: View, ending: Ending): Step[] {
  const { seen, busy, pod } = view;
  const running = seen.containers.filter(isRunning);
  if (running.length > 0) {
    const isLast = ({ identity }: SeenContainer) => isSidecar(findContainer(pod, identity.container) ?? { name: "" });
    const first = running.filter((one) => !isLast(one));
    // Sidecars serve the others until those are gone, and end in the opposite order of their start.
    const order = initContainersOf(pod).map(({ name }) => name);
    const last = running
      .filter(isLast)
      .sort((a, b) => order.indexOf(b.identity.container) - order.indexOf(a.identity.container));
    const next = first.length > 0 ? first : last.slice(0, 1);
    return next.filter((one) => !busy.has(one.identity.container)).flatMap((one) => killStep(view, one));
  }
  if (busy.size > 0) return [];
  const sandbox = sandboxOf(seen);
  if (sandbox) return [{ do: "stop-sandbox", id: sandbox.id }];
  switch (ending) {
    case "gone":
    case "deleted":
      return [{ do: "clear", deletesObject: ending === "deleted" }];
    case "finished":
    case "deadline":
    case "evicted":
    case "refused":
      // What an evicted pod wrote is the reason for its end; kept, it would fill the disk with each one that follows.
      return isEvicted(view) && !view.isCleared ? [{ do: "clear", deletesObject: false }] : [];
  }
}

function isEvicted({ pod, memory }: View): boolean {
  return memory.evicted !== undefined || pod.status?.reason === reasons.evicted;
}

function killStep(view: View, seen: SeenContainer): Step[] {
  const name = seen.identity.container;
  // One that the pod does not know: only its name is left of it.
  const container = findContainer(view.pod, name) ?? { name };
  return [{ do: "kill", id: seen.id, container, message: texts.stopping(name), graceSeconds: graceOf(view) }];
}

export function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time): time is number => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
