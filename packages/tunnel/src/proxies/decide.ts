/**
 * What to do next for one object: one step, from what is seen. Pure; reconcile.ts does it and looks again.
 *
 *     (empty)/Pending ──► BuildingImage ──► Starting ──► Running ──► Failed
 *          │ ▲ └──── image is current ────────►┘
 *          └─┴── the engine has gone meanwhile ┘
 *
 * Each state has its function below, in this order. A state is written before its work begins, so that a controller
 * which comes after a crash knows what may be half done. What takes long is a Work: it goes on beside the reconcile, and
 * what has come of it is seen in the memory when it is over.
 */
import { jsonEqual, type Stored } from "@berg/apimachinery";
import type {
  ContainerNetwork,
  ContainerNetworkTunnelProxy,
  ContainerNetworkTunnelProxyStatus,
  TunnelProxyState,
} from "@berg/resources";
import { texts } from "../vocabulary.ts";
import type { Memory, Work } from "./memory.ts";
import * as statuses from "./status.ts";
import { hasWork, planTunnels, type TunnelPlan } from "./tunnels/plan.ts";

export interface Seen {
  readonly object: Stored<ContainerNetworkTunnelProxy>;
  readonly isHeld: boolean;
  readonly network: Stored<ContainerNetwork> | undefined;
  /** Why the engine cannot be used; asked for only where something is about to be begun. */
  readonly engineTrouble: string | undefined;
  /** Whether this process has lately made, or found, the image that the object needs. */
  readonly isImageCurrent: boolean;
  readonly memory: Memory;
  /** Monotonic. */
  readonly now: number;
  /** RFC 3339 with microseconds. */
  readonly time: string;
}

export type Step =
  /** Our finalizer on it. */
  | { readonly do: "hold" }
  | { readonly do: "write"; readonly status: ContainerNetworkTunnelProxyStatus }
  | { readonly do: Exclude<Work, "apply"> }
  | { readonly do: "apply"; readonly plan: TunnelPlan }
  /** What is under way is of no use any more. */
  | { readonly do: "abort" }
  /** Our finalizer away, and then its files. */
  | { readonly do: "letGo" }
  /** Until something changes, or this time (monotonic) has come. */
  | { readonly do: "wait"; readonly until?: number | undefined };

const wait: Step = { do: "wait" };
/** An engine does not say when it is well again. */
const engineRetryMs = 3_000;

export function decide(seen: Seen): Step {
  const { object, isHeld, memory } = seen;
  if (object.metadata.deletionTimestamp) return isHeld ? deleting(seen) : wait;
  if (memory.work === "apply" && (memory.failure !== undefined || isNetworkGoing(seen))) return { do: "abort" };
  if (memory.work) return wait;
  if (!isHeld) return { do: "hold" };
  if (!memory.isTakenOver) return memory.unclean ? uncleaned(seen, "takeOver") : { do: "takeOver" };
  return states[object.status?.state ?? ""](seen);
}

const states: Record<TunnelProxyState, (seen: Seen) => Step> = {
  "": pending,
  Pending: pending,
  BuildingImage: buildingImage,
  Starting: starting,
  Running: running,
  Failed: failed,
};

function pending(seen: Seen): Step {
  const { object, network, engineTrouble, isImageCurrent, memory, now } = seen;
  const { containerNetworkName: name, baseImage } = object.spec;
  const waits = (why: string, until?: number) => {
    return written(seen, statuses.withoutPair(seen, "Pending", why)) ?? ({ do: "wait", until } as const);
  };
  if (engineTrouble !== undefined) return waits(texts.engineUnwell(engineTrouble), now + engineRetryMs);
  // Of a start that came to nothing.
  if (!memory.isClean) return uncleaned(seen, "cleanUp");
  if (!network || network.metadata.deletionTimestamp) return waits(texts.networkMissing(name));
  const { state = "", message = "" } = network.status ?? {};
  if (state !== "Running") return waits(texts.networkNotRunning(name, state, message));
  const { heldUp } = memory;
  if (heldUp && heldUp.retryAt > now) return waits(heldUp.why, heldUp.retryAt);
  if (isImageCurrent) return write(statuses.withoutPair(seen, "Starting", texts.starting));
  return write(statuses.withoutPair(seen, "BuildingImage", texts.buildingImage(baseImage)));
}

function buildingImage(seen: Seen): Step {
  const { failure, isImageReady } = seen.memory;
  if (failure !== undefined) return write(statuses.failed(seen, failure));
  const setback = heldUp(seen);
  if (setback) return setback;
  return isImageReady ? write(statuses.withoutPair(seen, "Starting", texts.starting)) : { do: "build" };
}

function starting(seen: Seen): Step {
  const { failure, pair } = seen.memory;
  if (failure !== undefined) return write(statuses.failed(seen, failure));
  const setback = heldUp(seen);
  if (setback) return setback;
  const hasTunnels = seen.object.spec.tunnels.length > 0;
  return pair ? write(statuses.running(seen, pair, seen.memory, !hasTunnels)) : { do: "start" };
}

/** Back to Pending: there what is left is removed first, and then it goes on by itself. */
function heldUp(seen: Seen): Step | undefined {
  const { heldUp: setback, isClean, pair } = seen.memory;
  if (!setback || pair || (isClean && setback.retryAt <= seen.now)) return undefined;
  return write(statuses.withoutPair(seen, "Pending", setback.why));
}

function running(seen: Seen): Step {
  const { object, memory, now } = seen;
  const { pair, failure, tunnels: applied, lastTunnelId, outOfTouch } = memory;
  if (isNetworkGoing(seen)) return write(statuses.failed(seen, texts.networkGoing(object.spec.containerNetworkName)));
  if (failure !== undefined || !pair) return write(statuses.failed(seen, failure ?? texts.lost));
  const plan = planTunnels({ wanted: object.spec.tunnels, applied, lastTunnelId, now });
  // Whatever is asked of proxies that do not hear each other fails; it is asked as soon as they do again.
  if (hasWork(plan) && outOfTouch === undefined) return { do: "apply", plan };
  const status = statuses.running(seen, pair, memory, !hasWork(plan));
  return written(seen, status) ?? { do: "wait", until: plan.nextAt };
}

/** For good. What is left of the pair is removed; the log files stay as long as the object does. */
function failed(seen: Seen): Step {
  return seen.memory.isClean ? wait : uncleaned(seen, "cleanUp");
}

/** BuildingImage and Starting come to their end first. */
function deleting(seen: Seen): Step {
  const { memory } = seen;
  if (memory.work === "apply") return { do: "abort" };
  if (memory.work) return wait;
  return memory.isTakenOver && memory.isClean ? { do: "letGo" } : uncleaned(seen, "cleanUp");
}

/** Again and again until nothing is left, ever more rarely; whoever waits for it is told what holds it up. */
function uncleaned(seen: Seen, work: "takeOver" | "cleanUp"): Step {
  const { unclean } = seen.memory;
  if (!unclean || unclean.retryAt <= seen.now) return { do: work };
  const { heldUp } = seen.memory;
  const isToldWhy = !seen.object.metadata.deletionTimestamp && (seen.object.status?.state === "Failed" || heldUp);
  // Why it has failed, or waits, is worth more.
  const text = work === "takeOver" ? texts.takeOverFailed(unclean.why) : texts.cleanUpFailed(unclean.why);
  const told = isToldWhy ? undefined : written(seen, statuses.withMessage(seen, text));
  return told ?? { do: "wait", until: unclean.retryAt };
}

function isNetworkGoing({ network, object }: Seen): boolean {
  if (object.status?.state !== "Running") return false;
  return !network || network.metadata.deletionTimestamp !== undefined;
}

function write(status: ContainerNetworkTunnelProxyStatus): Step {
  return { do: "write", status };
}

/** Undefined where it says so already. */
function written({ object }: Seen, status: ContainerNetworkTunnelProxyStatus): Step | undefined {
  return jsonEqual(object.status ?? {}, status) ? undefined : write(status);
}
