/** The works, each with what comes of it in the memory: the image, the start of a pair, its tunnels, its end. */
import type { Stored } from "@berg/apimachinery";
import { errorText, sleep } from "@berg/kube";
import type { ContainerNetwork, ContainerNetworkTunnelProxy } from "@berg/resources";
import { texts } from "../vocabulary.ts";
import type { Memories } from "./memories.ts";
import type { Memory } from "./memory.ts";
import { adoptPair } from "./pair/adopt-pair.ts";
import { cleanUp, removeFiles } from "./pair/clean-up.ts";
import type { ServerControl } from "./pair/programs.ts";
import { type PairWatches, startPair } from "./pair/start-pair.ts";
import type { PairSurroundings } from "./pair/surroundings.ts";
import { type PairListener, type WatchedServer, watchServer } from "./pair/watch-server.ts";
import { adoptTunnels } from "./tunnels/adopt.ts";
import { applyTunnels } from "./tunnels/apply.ts";
import type { TunnelPlan } from "./tunnels/plan.ts";
import { Turns } from "./turns.ts";

type TunnelProxy = Stored<ContainerNetworkTunnelProxy>;
type Result = Promise<Partial<Memory>>;

const firstDelayMs = 500;
const longestDelayMs = 60_000;
/** Each is a process and a container that start; a hundred at once would be late all together, and so Failed. */
const startsAtOnce = 4;
/** A server proxy that was found may just be connecting anew to its client proxy. */
const adoption = { attempts: 60, everyMs: 500 };

export class Pairs {
  readonly #around: PairSurroundings;
  readonly #memories: Memories;
  readonly #listenerOf: (object: TunnelProxy) => PairListener;
  readonly #servers = new Map<string, WatchedServer>();
  /** Base images whose client image this process has made or found. */
  readonly #images = new Set<string>();
  readonly #starts = new Turns(startsAtOnce);
  /** By UID: known as soon as there is one, and until nothing of it is left, though the engine may have removed it. */
  readonly #containers = new Map<string, string>();

  constructor(around: PairSurroundings, memories: Memories, listenerOf: (object: TunnelProxy) => PairListener) {
    this.#around = around;
    this.#memories = memories;
    this.#listenerOf = listenerOf;
  }

  isImageCurrent(baseImage: string): boolean {
    return this.#images.has(baseImage);
  }

  async build({ spec: { baseImage } }: TunnelProxy, signal: AbortSignal): Result {
    try {
      await this.#around.ensureImage({ ...this.#around, baseImage, signal });
      this.#images.add(baseImage);
      return { isImageReady: true };
    } catch (error) {
      return { failure: texts.imageFailed(errorText(error)) };
    }
  }

  async start(object: TunnelProxy, network: Stored<ContainerNetwork> | undefined, signal: AbortSignal): Result {
    const { uid } = object.metadata;
    this.#memories.update(uid, { isClean: false });
    try {
      using _turn = await this.#starts.take(signal);
      if (!network) throw new Error(texts.networkGoing(object.spec.containerNetworkName));
      const { facts } = await startPair(object, network, this.#around, this.#watches(object), signal);
      return { pair: facts, outOfTouch: undefined };
    } catch (error) {
      // Whatever the reason, it may be that the image is not what it was.
      this.#images.delete(object.spec.baseImage);
      return { failure: texts.startFailed(errorText(error)) };
    }
  }

  /** Also while a start, or a take-over, is not yet over: what it returns leaves the failure as it is. */
  containerEnded(uid: string, containerId: string, why: string): void {
    if (this.#containers.get(uid) !== containerId || this.#memories.get(uid)?.failure !== undefined) return;
    this.#memories.update(uid, { failure: why });
  }

  async apply({ metadata: { uid } }: TunnelProxy, plan: TunnelPlan, signal: AbortSignal): Result {
    const { clock, random } = this.#around;
    const { tunnels = new Map(), lastTunnelId = 0 } = this.#memories.get(uid) ?? {};
    const control = this.#servers.get(uid)?.control;
    if (!control) return { failure: texts.lost };
    return applyTunnels(plan, { tunnels, lastTunnelId }, { control, clock, random }, signal);
  }

  async takeOver(object: TunnelProxy, network: Stored<ContainerNetwork> | undefined, signal: AbortSignal): Result {
    const { uid } = object.metadata;
    // What an earlier process was doing in any other state begins anew, with nothing left from before.
    if (object.status?.state !== "Running") {
      const cleaned = await this.cleanUp(uid, signal);
      // A process that comes late finds nowhere to listen, and ends. Why one has failed is kept for its owner.
      if (cleaned.isClean && object.status?.state !== "Failed") await this.removeFiles(uid);
      return cleaned;
    }
    try {
      await this.#letGo(uid);
      const found = await adoptPair(object, network, this.#around, this.#watches(object), signal);
      if ("lost" in found) return { isTakenOver: true, failure: found.lost };
      // Whoever looks at all containers looks at this one too from now on.
      this.#memories.update(uid, { pair: found.facts });
      const adopted = await this.#adoptTunnels(object, found.control, signal);
      return { isTakenOver: true, pair: found.facts, unclean: undefined, ...adopted };
    } catch (error) {
      return this.#later(uid, error);
    }
  }

  async cleanUp(uid: string, signal: AbortSignal): Result {
    try {
      await this.#letGo(uid);
      await cleanUp(uid, this.#containers.get(uid), this.#around, signal);
      this.#containers.delete(uid);
      return { isTakenOver: true, isClean: true, pair: undefined, tunnels: new Map(), unclean: undefined };
    } catch (error) {
      return this.#later(uid, error);
    }
  }

  removeFiles(uid: string): Promise<void> {
    return removeFiles(uid, this.#around);
  }

  /** Nobody watches the server proxies any more. */
  async stopWatching(): Promise<void> {
    await Promise.all([...this.#servers.keys()].map((uid) => this.#letGo(uid)));
  }

  #later(uid: string, error: unknown): Partial<Memory> {
    const { clock, random, log } = this.#around;
    const failures = (this.#memories.get(uid)?.unclean?.failures ?? 0) + 1;
    const why = errorText(error);
    log.warn({ uid, error: why }, "a tunnel proxy could not be taken over or removed; trying again");
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1)) * (0.75 + random() / 4);
    return { unclean: { why, failures, retryAt: clock.monotonic() + delayMs } };
  }

  #watches(object: TunnelProxy): PairWatches {
    const { uid } = object.metadata;
    return {
      server: (server) => {
        const watched = watchServer(server, this.#listenerOf(object), this.#around);
        this.#servers.set(uid, watched);
        return watched.control;
      },
      container: (id) => void this.#containers.set(uid, id),
    };
  }

  async #letGo(uid: string): Promise<void> {
    const server = this.#servers.get(uid);
    this.#servers.delete(uid);
    await server?.[Symbol.asyncDispose]();
  }

  async #adoptTunnels(object: TunnelProxy, control: ServerControl, signal: AbortSignal): Result {
    const { clock } = this.#around;
    for (let attempt = 1; ; attempt++) {
      try {
        return await adoptTunnels(object, control, clock, signal);
      } catch (error) {
        signal.throwIfAborted();
        const { failure } = this.#memories.get(object.metadata.uid) ?? {};
        if (failure !== undefined || attempt === adoption.attempts) return { failure: failure ?? errorText(error) };
      }
      await sleep(clock, adoption.everyMs, signal);
    }
  }
}
