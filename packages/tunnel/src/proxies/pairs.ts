/** The works, each with what comes of it in the memory: the image, the start of a pair, its tunnels, its end. */
import type { Stored } from "@berg/apimachinery";
import { errorText, sleep } from "@berg/kube";
import type { ContainerNetwork, ContainerNetworkTunnelProxy } from "@berg/resources";
import { ImageBuildFailed } from "../image/build-failure.ts";
import { texts } from "../vocabulary.ts";
import { adoptPair } from "./lifecycle/adopt-pair.ts";
import { cleanUp, removeFiles } from "./lifecycle/clean-up.ts";
import { engineTrouble, isEngineAway } from "./lifecycle/engine-trouble.ts";
import type { ServerControl } from "./lifecycle/programs.ts";
import { type PairWatches, startPair } from "./lifecycle/start-pair.ts";
import type { PairSurroundings } from "./lifecycle/surroundings.ts";
import { type PairListener, type WatchedServer, watchServer } from "./lifecycle/watch-server.ts";
import type { Memories } from "./memories.ts";
import type { Memory, Setback } from "./memory.ts";
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
/** Whoever asks for figures waits no longer. */
const answerMs = 2_000;
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

  async build({ metadata: { uid }, spec: { baseImage } }: TunnelProxy, signal: AbortSignal): Result {
    try {
      await this.#around.ensureImage({ ...this.#around, baseImage, signal });
      this.#images.add(baseImage);
      return { isImageReady: true };
    } catch (error) {
      if (error instanceof ImageBuildFailed) return { failure: texts.imageFailed(errorText(error)) };
      const trouble = await this.#engineTrouble(error, signal);
      return this.#heldUp(uid, trouble ? texts.engineUnwell(trouble) : texts.imageDelayed(errorText(error)));
    }
  }

  async start(object: TunnelProxy, network: Stored<ContainerNetwork> | undefined, signal: AbortSignal): Result {
    const { uid } = object.metadata;
    this.#memories.update(uid, { isClean: false });
    try {
      using _turn = await this.#starts.take(signal);
      if (!network) throw new Error(texts.networkGoing(object.spec.containerNetworkName));
      const { facts } = await startPair(object, network, this.#around, this.#watches(object), signal);
      return { pair: facts, outOfTouch: undefined, heldUp: undefined };
    } catch (error) {
      // Whatever the reason, it may be that the image is not what it was.
      this.#images.delete(object.spec.baseImage);
      const trouble = await this.#engineTrouble(error, signal);
      // With the engine the container may have gone, and the image: that is no failure of the pair.
      const before = { isImageReady: false, failure: undefined };
      if (trouble) return { ...this.#heldUp(uid, texts.engineUnwell(trouble)), ...before };
      return { failure: texts.startFailed(errorText(error)) };
    }
  }

  /** Also while a start, or a take-over, is not yet over: what it returns leaves the failure as it is. */
  containerEnded(uid: string, containerId: string, why: string): void {
    if (this.#containers.get(uid) === containerId) this.#memories.ended(uid, why);
  }

  async apply({ metadata: { uid } }: TunnelProxy, plan: TunnelPlan, signal: AbortSignal): Result {
    const { clock, random } = this.#around;
    const { tunnels = new Map(), lastTunnelId = 0 } = this.#memories.get(uid) ?? {};
    const control = this.#servers.get(uid)?.control;
    if (!control) return { failure: texts.lost };
    const applied = await applyTunnels(plan, { tunnels, lastTunnelId }, { control, clock, random }, signal);
    const ids = new Set([...applied.tunnels.values()].map(({ id }) => id));
    const servers = [...(this.#memories.get(uid)?.servers ?? [])].filter(([id]) => ids.has(id));
    return { ...applied, servers: new Map(servers) };
  }

  async takeOver(object: TunnelProxy, network: Stored<ContainerNetwork> | undefined, signal: AbortSignal): Result {
    const { uid } = object.metadata;
    // What an earlier process was doing in any other state begins anew, with nothing left from before.
    if (object.status?.state !== "Running") {
      return object.status?.state === "Failed" ? this.cleanUp(uid, signal) : this.beginAnew(uid, signal);
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

  /** Nothing is left, its files neither: of one that has failed they tell why, and are kept for its owner. */
  async beginAnew(uid: string, signal: AbortSignal): Result {
    const cleaned = await this.cleanUp(uid, signal);
    // A process that comes late finds nowhere to listen, and ends.
    if (cleaned.isClean) await this.removeFiles(uid);
    return cleaned;
  }

  async cleanUp(uid: string, signal: AbortSignal): Result {
    try {
      await this.#letGo(uid);
      await cleanUp(uid, this.#containers.get(uid), this.#around, signal);
      this.#containers.delete(uid);
      const nothing = {
        pair: undefined,
        tunnels: new Map(),
        servers: new Map(),
        failure: undefined,
        unclean: undefined,
      };
      return { isTakenOver: true, isClean: true, ...nothing };
    } catch (error) {
      return this.#later(uid, error);
    }
  }

  removeFiles(uid: string): Promise<void> {
    return removeFiles(uid, this.#around);
  }

  /** Through each pair that answers soon, by UID. */
  async openStreams(): Promise<ReadonlyMap<string, number>> {
    const late = new AbortController();
    const timer = this.#around.clock.setTimer(answerMs, () => late.abort(new Error("no answer")));
    const asked = [...this.#servers].map(async ([uid, { control }]) => {
      const tunnels = await control.listTunnels(late.signal);
      return [uid, tunnels.reduce((sum, { openStreams }) => sum + openStreams, 0)] as const;
    });
    const answers = await Promise.allSettled(asked);
    timer.cancel();
    return new Map(answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : [])));
  }

  /** Nobody watches the server proxies any more. */
  async stopWatching(): Promise<void> {
    await Promise.all([...this.#servers.keys()].map((uid) => this.#letGo(uid)));
  }

  #later(uid: string, error: unknown): Partial<Memory> {
    const why = errorText(error);
    this.#around.log.warn({ uid, error: why }, "a tunnel proxy could not be taken over or removed; trying again");
    return { unclean: this.#setback(why, this.#memories.get(uid)?.unclean) };
  }

  #heldUp(uid: string, why: string): Partial<Memory> {
    this.#around.log.warn({ uid, why }, "a tunnel proxy could not be started, and will be");
    return { heldUp: this.#setback(why, this.#memories.get(uid)?.heldUp) };
  }

  #setback(why: string, before: Setback | undefined): Setback {
    const { clock, random } = this.#around;
    const failures = (before?.failures ?? 0) + 1;
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1)) * (0.75 + random() / 4);
    return { why, failures, retryAt: clock.monotonic() + delayMs };
  }

  /** Why the engine cannot be used, where it was not there for what has failed, or is not there now. */
  async #engineTrouble(error: unknown, signal: AbortSignal): Promise<string | undefined> {
    return isEngineAway(error) ? errorText(error) : engineTrouble(this.#around.engine, signal);
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
