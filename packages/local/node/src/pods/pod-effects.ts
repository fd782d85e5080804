/** What is done for one pod, piece by piece, and what is remembered of how it went. Nothing here decides. */
import { isConflict, isNotFound, isOtherUid, type Stored } from "@berg/apimachinery";
import { errorText, type Logger, type Pod, Pods } from "@berg/kube";
import { MountError, PodVolumes } from "../volumes/pod-volumes.ts";
import type { Step } from "./decide.ts";
import { killContainer } from "./kill-container.ts";
import { MadeAhead } from "./made-ahead.ts";
import { makeContainer } from "./make-container.ts";
import { adoptSandbox, makeSandbox } from "./make-sandbox.ts";
import { PodMemory } from "./memory.ts";
import { podDirectory } from "./pod-directory.ts";
import { PodSites } from "./pod-sites.ts";
import { addressOf, isRunning, latestOf, sandboxOf } from "./seen.ts";
import { startContainer } from "./start-container.ts";
import { isUnreachable, StartFailure } from "./start-failure.ts";
import { overStorage } from "./storage-limits.ts";
import { StorageMeter } from "./storage-meter.ts";
import type { PodSurroundings } from "./surroundings.ts";
import { texts } from "./vocabulary.ts";

/** After trouble with the engine or the server itself. */
const troubleMs = 1_000;

export class PodEffects {
  readonly memory = new PodMemory();
  readonly volumes: PodVolumes;
  /** The pause container whose network and files are known to be in order. */
  knownPause: string | undefined;
  /** What the files are made of changed since they were written. */
  volumesAreOld = false;
  /** Nothing is begun earlier: something just went wrong that is not the pod's fault. */
  notBefore = 0;
  /** Nothing is left of it on this machine. */
  isCleared = false;
  readonly ahead = new MadeAhead();
  readonly storage = new StorageMeter();
  readonly #around: PodSurroundings;
  readonly #log: Logger;
  readonly #uid: string;
  readonly #sites: PodSites;
  /** As it is now. */
  readonly #pod: () => Stored<Pod>;

  constructor(uid: string, pod: () => Stored<Pod>, around: PodSurroundings, log: Logger) {
    const { client, clock, dataDir } = around;
    this.#uid = uid;
    this.#pod = pod;
    this.#around = around;
    this.#log = log;
    const directory = podDirectory(dataDir, uid);
    this.volumes = new PodVolumes({ client, clock, directory });
    this.#sites = new PodSites(around, this.volumes, directory);
  }

  async makeSandbox({ attempt, first }: Extract<Step, { do: "make-sandbox" }>, signal: AbortSignal): Promise<void> {
    const { clock, events, view } = this.#around;
    if (attempt > 0) events.ofPod(this.#pod(), "Normal", "SandboxChanged", texts.sandboxChanged);
    const meanwhile = (pauseId: string) =>
      first &&
      this.ahead.make(first, pauseId, (stop) =>
        makeContainer(this.#sites.start(pauseId, ""), { pod: this.#pod(), ...first }, stop),
      );
    try {
      await makeSandbox({ ...this.#sites.sandbox(), meanwhile }, this.#pod(), attempt, signal);
      this.memory.sandboxMade();
      this.knownPause = sandboxOf(view.pod(this.#uid))?.id;
    } catch (error) {
      this.ahead.abandon();
      if (signal.aborted) return;
      this.memory.sandboxFailed(clock.now());
      if (error instanceof MountError) events.ofPod(this.#pod(), "Warning", "FailedMount", error.message);
      else if (!isUnreachable(error))
        events.ofPod(this.#pod(), "Warning", "FailedCreatePodSandBox", texts.sandboxFailed(errorText(error)));
    }
  }

  async stopSandbox(id: string, signal: AbortSignal): Promise<void> {
    const { engine, view, networks } = this.#around;
    try {
      await engine.stopContainer(id, 0, signal);
      await view.refresh(id);
      networks.podGone(this.#uid);
    } catch (error) {
      if (!signal.aborted) this.#trouble("a pod's network could not be ended", error);
    }
  }

  async adopt(id: string, ip: string, signal: AbortSignal): Promise<void> {
    try {
      await adoptSandbox(this.#sites.sandbox(), this.#pod(), ip, signal);
      this.knownPause = id;
    } catch (error) {
      if (!signal.aborted) this.#trouble("a pod of an earlier run cannot be taken over yet", error);
    }
  }

  async setUpVolumes(podIP: string, signal: AbortSignal): Promise<void> {
    try {
      await this.volumes.setUp(this.#pod(), this.#sites.place(podIP), signal);
    } catch (error) {
      if (signal.aborted) return;
      this.volumesAreOld = true;
      this.notBefore = this.#around.clock.now() + troubleMs;
      if (error instanceof MountError) this.#around.events.ofPod(this.#pod(), "Warning", "FailedMount", error.message);
    }
  }

  async measureStorage(signal: AbortSignal): Promise<void> {
    const { engine, view, dataDir } = this.#around;
    try {
      const running = view.pod(this.#uid).containers.filter(isRunning);
      const site = { engine, volumes: this.volumes, running, directory: podDirectory(dataDir, this.#uid) };
      const use = await this.storage.measure(this.#pod(), site, signal);
      this.memory.evicted = overStorage(this.#pod(), use);
    } catch (error) {
      if (!signal.aborted) this.#log.debug({ error: errorText(error) }, "what a pod wrote could not be measured");
    }
  }

  async start(step: Extract<Step, { do: "start" }>, signal: AbortSignal): Promise<void> {
    const { clock, view } = this.#around;
    const { container, attempt, endedAt } = step;
    const sandbox = sandboxOf(view.pod(this.#uid));
    if (!sandbox) return;
    const site = this.#sites.start(sandbox.id, addressOf(sandbox) ?? "");
    const starting = { pod: this.#pod(), container, attempt };
    try {
      let id = await this.ahead.take(step, sandbox.id, signal);
      if (id === undefined) {
        await this.#removeHalfMade(container.name, signal);
        id = await makeContainer(site, starting, signal);
      }
      signal.throwIfAborted();
      await startContainer(site, starting, id, signal);
      this.memory.started(container.name);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof StartFailure) || isUnreachable(error))
        this.#trouble("a container could not be started", error);
      else this.memory.startFailed(container.name, error, clock.now());
    } finally {
      if (endedAt !== undefined) this.memory.restarting(container.name, endedAt, clock.now());
    }
  }

  /** Half made, by a process that was killed, or ahead for a network that failed. */
  async #removeHalfMade(name: string, signal: AbortSignal): Promise<void> {
    const half = latestOf(this.#around.view.pod(this.#uid), name);
    if (half?.status === "created" && !this.memory.startErrors.has(half.id)) await this.remove([half.id], signal);
  }

  async kill(step: Extract<Step, { do: "kill" }>, signal: AbortSignal): Promise<void> {
    const { engine, clock, events, view } = this.#around;
    const podIP = addressOf(sandboxOf(view.pod(this.#uid))) ?? "";
    if (step.isUnwell) this.memory.unwell.add(step.id);
    try {
      await killContainer({ engine, clock, events, pod: this.#pod(), podIP, ...step }, signal);
      await view.refresh(step.id);
    } catch (error) {
      if (!signal.aborted) this.#trouble("a container could not be ended", error);
    }
  }

  async remove(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const { engine, view } = this.#around;
    try {
      for (const id of ids) {
        await engine.removeContainer(id, signal);
        await view.refresh(id);
      }
    } catch (error) {
      if (!signal.aborted) this.#trouble("a container could not be removed", error);
    }
  }

  async clear(deletesObject: boolean, signal: AbortSignal): Promise<void> {
    const { client, networks, view } = this.#around;
    const { containers, pauses } = view.pod(this.#uid);
    const ids = [...containers, ...pauses].map(({ id }) => id);
    await this.remove(ids, signal);
    const left = view.pod(this.#uid);
    if (left.containers.length + left.pauses.length > 0) return;
    try {
      await this.volumes.remove();
      networks.podGone(this.#uid);
      this.isCleared = true;
      if (!deletesObject) return;
      const { namespace = "", name } = this.#pod().metadata;
      await client.delete(Pods, namespace, name, { gracePeriodSeconds: 0, preconditions: { uid: this.#uid }, signal });
    } catch (error) {
      if (isNotFound(error) || isConflict(error) || isOtherUid(error) || signal.aborted) return;
      this.#trouble("a pod could not be cleared away", error);
    }
  }

  #trouble(what: string, error: unknown): void {
    this.notBefore = this.#around.clock.now() + troubleMs;
    this.#log.warn({ error: errorText(error) }, what);
  }
}
