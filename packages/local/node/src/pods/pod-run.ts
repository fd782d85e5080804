/**
 * One pod on this node, from its first sight to its last. Each pass looks at everything, decides, begins what is to be
 * done, and writes the status where it changed; when something is done, the next pass finds out what came of it.
 */
import { keyOf, type Stored } from "@berg/apimachinery";
import type { Logger, Pod } from "@berg/kube";
import { forbiddenOf } from "../containers/forbidden.ts";
import { decide, earliest, type Step } from "./decide.ts";
import { graceOf } from "./grace.ts";
import { isTerminal } from "./phase.ts";
import { PodEffects } from "./pod-effects.ts";
import { PodNews } from "./pod-news.ts";
import { PodProbes } from "./pod-probes.ts";
import { addressOf, isRunning, type SeenPod, sandboxOf } from "./seen.ts";
import { statusOf, unreachableStatus } from "./status.ts";
import { StatusWriter } from "./status-writer.ts";
import type { PodSurroundings } from "./surroundings.ts";
import { sandboxWork, type View } from "./view.ts";
import { Work } from "./work.ts";

const volumeWork = "(volumes)";
const storageWork = "(storage)";

export class PodRun {
  readonly key: string;
  readonly uid: string;
  readonly #around: PodSurroundings;
  readonly #log: Logger;
  readonly #status: StatusWriter;
  readonly #effects: PodEffects;
  readonly #work: Work;
  readonly #probes: PodProbes;
  readonly #news: PodNews;
  #isGone: boolean;
  #isAdmitted = false;
  /** The time that containers were last given to end in. */
  #graceSeconds = Number.POSITIVE_INFINITY;

  /** `isGone`: of a pod that only the engine, or a directory, still knows. */
  constructor(pod: Stored<Pod>, around: PodSurroundings, isGone = false) {
    this.key = keyOf(pod);
    this.uid = pod.metadata.uid;
    this.#around = around;
    this.#isGone = isGone;
    this.#log = around.log.child({ pod: this.key, uid: this.uid });
    this.#status = new StatusWriter(around.client, pod);
    this.#news = new PodNews(around.events);
    this.#probes = new PodProbes(around.prober, around.startedAt);
    this.#effects = new PodEffects(this.uid, () => this.pod, around, this.#log);
    this.#work = new Work(this.#log, () => around.wake(this.key));
  }

  get pod(): Stored<Pod> {
    return this.#status.pod;
  }

  /** Nothing is left of it anywhere. */
  get isOver(): boolean {
    return this.#isGone && this.#effects.isCleared;
  }

  /** Nothing of it is from an earlier run, or all of that was taken over. */
  get isKnown(): boolean {
    const sandbox = sandboxOf(this.#around.view.pod(this.uid));
    return !this.#isGone && (sandbox === undefined || sandbox.id === this.#effects.knownPause);
  }

  saw(pod: Stored<Pod>): void {
    const before = this.pod.metadata;
    this.#status.saw(pod);
    const { labels, annotations } = this.pod.metadata;
    if (before.labels !== labels || before.annotations !== annotations) this.#effects.volumesAreOld = true;
  }

  gone(last?: Stored<Pod>): void {
    if (last) this.#status.saw(last);
    this.#isGone = true;
  }

  /** What its files are made of changed. */
  refreshVolumes(): void {
    this.#effects.volumesAreOld = true;
  }

  /** Gives after how long to look again without cause. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { clock, view: engineView, host } = this.#around;
    const { reach } = engineView;
    if (reach.is === "gone") {
      if (!this.#isGone) await this.#status.write(unreachableStatus(this.pod, reach.why, clock.now()), signal);
      return undefined;
    }
    const now = clock.now();
    this.#admit(engineView.pod(this.uid));
    const view = this.#view(now);
    this.#probes.keepUp(view);
    const { steps, ending, lookAgainAt } = decide(view);
    const writeStatus = () => this.#status.write(statusOf(this.#view(now), ending, host()), signal);
    const isLast = steps.some((step) => step.do === "clear");
    // Once it is cleared away, how it ended can be seen nowhere else.
    if (isLast && !this.#isGone) await writeStatus();
    let keepUpAt: number | undefined;
    if (now >= this.#effects.notBefore) {
      if (ending) this.#end();
      else keepUpAt = this.#keepUp(view, now);
      this.#news.tell(view, ending);
      for (const step of steps) this.#take(step);
    }
    if (!isLast && !this.#isGone) await writeStatus();
    const next = earliest([lookAgainAt, keepUpAt, now < this.#effects.notBefore ? this.#effects.notBefore : undefined]);
    return next === undefined ? undefined : Math.max(0, next - now);
  }

  /** Ends what is being done; the containers stay as they are. */
  async stop(): Promise<void> {
    this.#probes.end();
    this.#effects.ahead.abandon();
    await this.#work.end();
  }

  /** Once, before anything of it is made. One that an earlier process started goes on: an upgrade ends no instance. */
  #admit({ pauses, containers }: SeenPod): void {
    if (this.#isAdmitted || this.#isGone) return;
    this.#isAdmitted = true;
    if (isTerminal(this.pod.status?.phase) || [...pauses, ...containers].some(isRunning)) return;
    this.#effects.memory.refused = forbiddenOf(this.pod, this.#around.capabilities);
  }

  #view(now: number): View {
    const { view, prober } = this.#around;
    const seen = view.pod(this.uid);
    this.#effects.memory.forgetAllBut(new Set(seen.containers.map(({ id }) => id)));
    return {
      pod: this.pod,
      isGone: this.#isGone,
      seen,
      memory: this.#effects.memory,
      isCleared: this.#effects.isCleared,
      verdicts: (id) => prober.verdicts(id),
      busy: this.#work.busy,
      starting: this.#work.nameOf("start"),
      now,
    };
  }

  /** What was begun for its life is of no use for its end. */
  #end(): void {
    this.#work.abort(["start", "make-sandbox", "volumes", "storage"], "the pod ends");
    this.#effects.ahead.abandon();
    this.#probes.quieten();
    const graceSeconds = graceOf({ pod: this.pod, memory: this.#effects.memory });
    // Somebody asks for less time than was given: those that are being ended are ended anew.
    if (graceSeconds < this.#graceSeconds) this.#work.abort(["kill"], "there is less time");
    this.#graceSeconds = graceSeconds;
  }

  /**
   * A sandbox that an earlier process made, and files whose sources changed. Gives when there is more to do: nothing while
   * something is being done, which has the pod looked at when it is done.
   */
  #keepUp({ seen }: View, now: number): number | undefined {
    const sandbox = sandboxOf(seen);
    const ip = addressOf(sandbox);
    if (!sandbox || !ip) return undefined;
    if (sandbox.id !== this.#effects.knownPause) {
      this.#work.begin(sandboxWork, "adopt", (signal) => this.#effects.adopt(sandbox.id, ip, signal));
      return undefined;
    }
    if (this.#effects.storage.comesDue(this.pod, now))
      this.#work.begin(storageWork, "storage", (signal) => this.#effects.measureStorage(signal));
    const { refreshAt } = this.#effects.volumes;
    const isDue = refreshAt !== undefined && refreshAt <= now;
    // What changes while files are written is written afterwards: the pod is looked at again then.
    const isWriting = this.#work.busy.has(volumeWork);
    if (!isWriting && (this.#effects.volumesAreOld || isDue)) {
      this.#effects.volumesAreOld = false;
      this.#work.begin(volumeWork, "volumes", (signal) => this.#effects.setUpVolumes(ip, signal));
    }
    return earliest([this.#effects.storage.dueAt, isDue ? undefined : refreshAt]);
  }

  #take(step: Step): void {
    const work = this.#work;
    switch (step.do) {
      case "make-sandbox":
        work.begin(sandboxWork, step.do, (signal) => this.#effects.makeSandbox(step, signal));
        break;
      case "stop-sandbox":
        work.begin(sandboxWork, step.do, (signal) => this.#effects.stopSandbox(step.id, signal));
        break;
      case "start":
        work.begin(step.container.name, step.do, (signal) => this.#effects.start(step, signal));
        break;
      case "kill":
        work.begin(step.container.name, step.do, (signal) => this.#effects.kill(step, signal));
        break;
      case "remove":
        work.begin(sandboxWork, step.do, (signal) => this.#effects.remove(step.ids, signal));
        break;
      case "clear":
        work.begin(sandboxWork, step.do, (signal) => this.#effects.clear(step.deletesObject, signal));
        break;
    }
  }
}
