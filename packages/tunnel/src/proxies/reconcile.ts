/** One look at one object: gather → decide → do, again until there is nothing to do but to wait. */
import { isNotFound, type ObjectKey, type Stored } from "@berg/apimachinery";
import {
  addFinalizer,
  type Client,
  type EventRecorder,
  type Informer,
  type OwnWrites,
  type Result,
  removeFinalizer,
} from "@berg/kube";
import {
  type ContainerNetwork,
  ContainerNetworkTunnelProxies,
  type ContainerNetworkTunnelProxy,
  type ContainerNetworkTunnelProxyStatus,
  fieldManagers,
  finalizers,
} from "@berg/resources";
import { eventReasons, texts } from "../vocabulary.ts";
import { decide, type Seen, type Step } from "./decide.ts";
import { eventsOf } from "./events.ts";
import { engineTrouble } from "./lifecycle/engine-trouble.ts";
import type { PairSurroundings } from "./lifecycle/surroundings.ts";
import type { Memories } from "./memories.ts";
import { microTime } from "./micro-time.ts";
import type { Pairs } from "./pairs.ts";
import type { Works } from "./works.ts";

export interface Reconciler extends PairSurroundings {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly proxies: OwnWrites<ContainerNetworkTunnelProxy>;
  readonly networks: Pick<Informer<ContainerNetwork>, "get">;
  readonly memories: Memories;
  readonly works: Works;
  readonly pairs: Pairs;
}

type TunnelProxy = Stored<ContainerNetworkTunnelProxy>;
/** The longest way without a wait is four. */
const mostRounds = 10;

export async function reconcile(key: ObjectKey, around: Reconciler, signal: AbortSignal): Promise<Result | undefined> {
  const again = await tidyUpGone(key, around);
  if (again) return again;
  for (let round = 0; round < mostRounds; round++) {
    const object = around.proxies.get(key);
    if (!object) return undefined;
    const step = decide(await gather(object, around, signal));
    if (step.do === "wait") return resultOf(step.until, around);
    if (await perform(step, object, around, signal)) return undefined;
  }
  throw new Error(`it did not come to rest in ${mostRounds} rounds`);
}

async function gather(object: TunnelProxy, around: Reconciler, signal: AbortSignal): Promise<Seen> {
  const { memories, networks, pairs, clock } = around;
  const isHeld = object.metadata.finalizers?.includes(finalizers.tunnel) ?? false;
  const network = networks.get(object.spec.containerNetworkName);
  const memory = memories.of(object, isHeld);
  const state = object.status?.state ?? "";
  const isBeginning = isHeld && !memory.work && memory.isTakenOver && (state === "" || state === "Pending");
  const asksEngine = isBeginning && !object.metadata.deletionTimestamp && network?.status?.state === "Running";
  return {
    object,
    isHeld,
    network,
    engineTrouble: asksEngine ? await engineTrouble(around.engine, signal) : undefined,
    isImageCurrent: pairs.isImageCurrent(object.spec.baseImage),
    memory,
    now: clock.monotonic(),
    time: microTime(clock),
  };
}

/** Whether something is under way now, whose end is waited for. */
async function perform(
  step: Exclude<Step, { do: "wait" }>,
  object: TunnelProxy,
  around: Reconciler,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, proxies, works, pairs, networks, recorder } = around;
  const { uid } = object.metadata;
  const network = networks.get(object.spec.containerNetworkName);
  switch (step.do) {
    case "hold":
      proxies.wrote(await addFinalizer(client, ContainerNetworkTunnelProxies, object, finalizers.tunnel, { signal }));
      return false;
    case "write":
      await writeStatus(object, step.status, around, signal);
      return false;
    case "build":
      works.begin(uid, "build", (ending) => pairs.build(object, ending));
      return true;
    case "start":
      works.begin(uid, "start", (ending) => pairs.start(object, network, ending));
      return true;
    case "apply":
      works.begin(uid, "apply", (ending) => pairs.apply(object, step.plan, ending));
      return true;
    case "takeOver":
      works.begin(uid, "takeOver", async (ending) => {
        const found = await pairs.takeOver(object, network, ending);
        if (found.pair) recorder.event(object, "Normal", eventReasons.adopted, texts.adopted);
        return found;
      });
      return true;
    case "cleanUp":
      works.begin(uid, "cleanUp", (ending) =>
        isWaiting(object) ? pairs.beginAnew(uid, ending) : pairs.cleanUp(uid, ending),
      );
      return true;
    case "abort":
      works.abort(uid);
      return true;
    case "letGo":
      await letGo(object, around, signal);
      return true;
  }
}

function isWaiting({ metadata, status }: TunnelProxy): boolean {
  return status?.state === "Pending" && !metadata.deletionTimestamp;
}

/** With the version that was seen: what anybody else has written since is not lost, and is looked at first. */
export async function writeStatus(
  object: TunnelProxy,
  status: ContainerNetworkTunnelProxyStatus,
  { client, proxies, recorder }: Pick<Reconciler, "client" | "proxies" | "recorder">,
  signal: AbortSignal,
): Promise<void> {
  const options = { subresource: "status", fieldManager: fieldManagers.tunnels, signal };
  try {
    proxies.wrote(await client.update(ContainerNetworkTunnelProxies, { ...object, status }, options));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    proxies.gone(object.metadata.uid);
    return;
  }
  for (const { type, reason, message } of eventsOf(object.status, status))
    recorder.event(object, type, reason, message);
}

async function letGo(object: TunnelProxy, { client, proxies, pairs, memories }: Reconciler, signal: AbortSignal) {
  const { uid } = object.metadata;
  const left = await removeFinalizer(client, ContainerNetworkTunnelProxies, object, finalizers.tunnel, { signal });
  if (left) proxies.wrote(left);
  else proxies.gone(uid);
  await pairs.removeFiles(uid);
  memories.forget(uid);
}

/** Objects that went without asking us: somebody has taken our finalizer away. Their pairs go too. */
async function tidyUpGone(key: ObjectKey, around: Reconciler): Promise<Result | undefined> {
  const { memories, proxies, works, pairs, clock } = around;
  const present = proxies.get(key)?.metadata.uid;
  for (const uid of memories.named(key)) {
    const memory = memories.get(uid);
    if (uid === present || !memory || memory.work) continue;
    if (memory.isClean) {
      await pairs.removeFiles(uid);
      memories.forget(uid);
    } else if (memory.unclean && memory.unclean.retryAt > clock.monotonic()) {
      return resultOf(memory.unclean.retryAt, around);
    } else {
      works.begin(uid, "cleanUp", (ending) => pairs.cleanUp(uid, ending));
    }
  }
  return undefined;
}

/** A little later, so that what is due then is due. */
function resultOf(until: number | undefined, { clock }: Reconciler): Result | undefined {
  return until === undefined ? undefined : { requeueAfterMs: Math.max(1, until - clock.monotonic()) };
}
