/**
 * The loop: start → worker → reconcile → outcome, in this order below.
 *
 * A controller turns changes into keys, and hands each key to `reconcile`, several at once but never one key twice at
 * once. What a reconcile throws harms only its own key.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ObjectKey } from "@berg/apimachinery";
import { AbortFollower, abortable, aborted } from "../abort.ts";
import { type Clock, type Random, sleep, systemClock, systemRandom } from "../clock.ts";
import { errorText, type Logger, silentLogger, stackOf } from "../log.ts";
import { noQueueMetrics, type QueueMetrics } from "../queue/metrics.ts";
import type { AtOnce } from "../queue/room.ts";
import { type Taken, WorkQueue } from "../queue/work-queue.ts";
import { noReconcileMetrics, type ReconcileMetrics } from "./metrics.ts";
import { type Outcome, outcomeOf, outcomeOfError, ReconcileTimeout, type Result } from "./outcome.ts";
import type { AnyInformer, Watch } from "./watches.ts";

export interface ControllerOptions {
  /** In words of the user, such as `challengeinstance`: it stands in logs and metrics. */
  name: string;
  watches: readonly Watch[];
  /**
   * Makes the cluster match the object of this key, as it is now: from scratch, knowing nothing of how often or why it
   * was called. It is done when nothing is left to do.
   */
  reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result | undefined>;
  workers?: number;
  /**
   * How many of the workers may have something that is not urgent, as things are now: the others are kept free for what
   * is. All of them unless told otherwise.
   */
  atOnce?: () => AtOnce;
  /** How long one reconcile may take before its signal is aborted. */
  timeoutMs?: number;
  /** How often everything is looked at again without cause, as a net below all watches. */
  resyncMs?: number;
}

export interface ReconcileContext {
  /** Aborted when the reconcile takes too long, or the process may no longer write. Pass it to every call. */
  signal: AbortSignal;
  log: Logger;
}

export interface ControllerSurroundings {
  clock?: Clock;
  random?: Random;
  log?: Logger;
  metrics?: ReconcileMetrics;
  queueMetrics?: QueueMetrics;
}

export const defaultWorkers = 10;
const defaults = { workers: defaultWorkers, timeoutMs: 60_000, resyncMs: 600_000 };
/**
 * Timers do not run while a machine sleeps, nor follow a clock that is put forward: what fell due by the wall clock would
 * wait for as long again. So the clocks are compared now and then, and where the wall clock has moved by more than
 * clocks do, everything is looked at.
 */
const comparing = { everyMs: 5_000, toleratedMs: 500 };
/** Below everything that has a cause. */
const resyncPriority = -10;
// A reconcile that ignores its signal keeps its key, but not its worker.
const abandonAfterMs = 5_000;
/** One for all: an error made anew for each reconcile costs as much as a small one of those. */
const isOver = new Error("the reconcile is over");
// Reconciles that ask nobody anything follow each other without ever letting a timer or a socket have its turn; ten
// thousand settled objects, or one that asks to look again at once, would hold up the lease with everything else.
const longestTurnMs = 20;

export class Controller {
  readonly name: string;
  readonly #options: ControllerOptions & typeof defaults;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #metrics: ReconcileMetrics;
  readonly queue: WorkQueue;
  #turnBegan = 0;

  constructor(options: ControllerOptions, surroundings: ControllerSurroundings = {}) {
    this.name = options.name;
    this.#options = { ...defaults, ...options };
    const { workers } = this.#options;
    if (!(workers >= 1)) throw new RangeError(`cannot run the controller "${options.name}" with ${workers} workers`);
    this.#clock = surroundings.clock ?? systemClock;
    this.#random = surroundings.random ?? systemRandom;
    this.#log = (surroundings.log ?? silentLogger).child({ controller: options.name });
    this.#metrics = surroundings.metrics ?? noReconcileMetrics;
    this.queue = new WorkQueue({
      clock: this.#clock,
      random: this.#random,
      metrics: surroundings.queueMetrics ?? noQueueMetrics,
      atOnce: options.atOnce,
    });
  }

  get informers(): AnyInformer[] {
    return [...new Set(this.#options.watches.flatMap((watch) => watch.informers))];
  }

  /**
   * Runs until `stop` is aborted, then lets the reconciles under way finish. `kill` ends those too, by their signal.
   */
  async run(stop: AbortSignal, kill: AbortSignal): Promise<void> {
    const enqueue = this.queue.add.bind(this.queue);
    const undo: (() => void)[] = [];
    const ending = AbortSignal.any([stop, kill]);
    try {
      // Before the caches are waited for: what they hold already arrives as additions, and nothing falls in between.
      for (const watch of this.#options.watches) undo.push(watch.start(enqueue));
      await Promise.all(this.informers.map((informer) => informer.synced(ending)));
      const workers = Array.from({ length: this.#options.workers }, () => this.#work(kill));
      const work = Promise.all([...workers, this.#resync(ending)]);
      // They end when the queue is shut down, or else by a mistake in here, which must not pass unseen.
      await Promise.race([aborted(ending), work]);
      await this.queue.drain(kill);
      await abortable(work, kill);
    } catch (error) {
      if (!ending.aborted) throw error;
    } finally {
      for (const stopWatch of undo) stopWatch();
      this.queue.shutDown();
    }
  }

  async #work(kill: AbortSignal): Promise<void> {
    for (let taken = await this.queue.get(); taken; taken = await this.queue.get()) {
      await this.#untilDoneOrAbandoned(this.#process(taken, kill), taken.key, kill);
      await this.#letOthersRun();
    }
  }

  async #letOthersRun(): Promise<void> {
    if (this.#clock.monotonic() - this.#turnBegan < longestTurnMs) return;
    await nextTurn();
    this.#turnBegan = this.#clock.monotonic();
  }

  async #process(taken: Taken, kill: AbortSignal): Promise<void> {
    const started = this.#clock.monotonic();
    this.#metrics.started();
    const outcome = await this.#reconcile(taken.key, kill);
    this.#settle(taken, outcome, (this.#clock.monotonic() - started) / 1000);
    this.queue.done(taken.key);
  }

  async #reconcile(key: ObjectKey, kill: AbortSignal): Promise<Outcome> {
    const { timeoutMs, reconcile } = this.#options;
    using limit = new AbortFollower(kill);
    const { signal } = limit;
    const timer = this.#clock.setTimer(timeoutMs, () => limit.abort(new ReconcileTimeout(timeoutMs)));
    signal.addEventListener("abort", () => timer.cancel(), { once: true });
    try {
      return outcomeOf(await reconcile(key, { signal, log: this.#log.child({ key }) }));
    } catch (error) {
      if (kill.aborted) return { kind: "interrupted" };
      return outcomeOfError(signal.aborted ? signal.reason : error);
    } finally {
      timer.cancel();
    }
  }

  #settle({ key, priority }: Taken, outcome: Outcome, seconds: number): void {
    const { queue } = this;
    const metrics = this.#metrics;
    switch (outcome.kind) {
      case "settled":
        metrics.finished("success", seconds);
        queue.forget(key);
        break;
      case "again":
        metrics.finished("requeue_after", seconds);
        queue.forget(key);
        queue.addAfter(key, outcome.afterMs, { priority: outcome.priority });
        break;
      case "conflict":
        metrics.finished("requeue", seconds);
        queue.addRateLimited(key, { priority });
        break;
      case "interrupted":
        metrics.finished("requeue", seconds);
        break;
      case "terminal":
        metrics.finished("error", seconds);
        metrics.terminal();
        this.#log.warn({ key, error: errorText(outcome.error) }, "reconcile cannot succeed until the object changes");
        queue.forget(key);
        break;
      case "timeout":
        metrics.finished("error", seconds);
        metrics.timedOut();
        this.#log.warn({ key, error: errorText(outcome.error) }, "reconcile timed out");
        queue.addRateLimited(key, { priority });
        break;
      case "panic":
        metrics.finished("error", seconds);
        metrics.panicked();
        this.#log.error({ key, error: errorText(outcome.error), stack: stackOf(outcome.error) }, "reconcile is broken");
        queue.addRateLimited(key, { priority });
        break;
      case "retry":
        metrics.finished("error", seconds);
        this.#log.warn({ key, error: errorText(outcome.error), retries: queue.retries(key) }, "reconcile failed");
        queue.addRateLimited(key, { priority, atLeastMs: outcome.afterMs });
        break;
    }
  }

  async #untilDoneOrAbandoned(processing: Promise<void>, key: ObjectKey, kill: AbortSignal): Promise<void> {
    using over = new AbortFollower(kill);
    const limit = this.#options.timeoutMs + abandonAfterMs;
    const abandoned = sleep(this.#clock, limit, over.signal).then(
      () => {
        this.#log.error({ key }, "reconcile ignores its time limit; its worker goes on without it");
        this.queue.abandon(key);
      },
      () => {},
    );
    await Promise.race([processing, abandoned]);
    over.abort(isOver);
  }

  async #resync(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.#untilResync(this.#options.resyncMs * (1 + this.#random() / 10), stop).catch(() => {});
      if (stop.aborted) return;
      for (const watch of this.#options.watches) {
        for (const key of watch.all()) this.queue.add(key, { priority: resyncPriority });
      }
    }
  }

  async #untilResync(ms: number, stop: AbortSignal): Promise<void> {
    const clock = this.#clock;
    const due = clock.monotonic() + ms;
    for (let left = ms; left > 0; left = due - clock.monotonic()) {
      const before = clock.now() - clock.monotonic();
      await sleep(clock, Math.min(left, comparing.everyMs), stop);
      if (clock.now() - clock.monotonic() - before > comparing.toleratedMs) return;
    }
  }
}
