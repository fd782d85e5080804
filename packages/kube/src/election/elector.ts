import { isAlreadyExists, isConflict, isForbidden, isNotFound, type Stored } from "@berg/apimachinery";
import { AbortFollower } from "../abort.ts";
import type { Client } from "../client/client.ts";
import { type Clock, microTimestamp, type Random, sleep, type Timer } from "../clock.ts";
import { type Lease, Leases } from "../kinds.ts";
import { errorText, type Logger } from "../log.ts";
import { Fence, type Instant, instant, LeadershipLost } from "./fence.ts";
import {
  heldLease,
  isFree,
  isOfTerm,
  newTerm,
  released,
  renewed,
  type Sighting,
  sight,
  silenceSeconds,
  type Term,
  unheldLease,
} from "./lease.ts";
import { type ElectionMetrics, noElectionMetrics } from "./metrics.ts";
import { checkTiming, defaultTiming, type ElectionTiming, jitter } from "./timing.ts";

export interface ElectorOptions {
  /** One of its own, so that renewals never queue behind other requests, and without this elector's fence as guard. */
  client: Client;
  namespace: string;
  name: string;
  /** A name that no other running process has: see identity.ts. */
  identity: string;
  /**
   * Something outside of the Lease (a lock, a port) makes sure that at most one process has this identity at a time. A
   * Lease that carries it at the first look was then left by a predecessor that is dead, and is taken at once.
   */
  isExclusive?: boolean;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics?: ElectionMetrics;
  timing?: ElectionTiming;
}

export type ElectionEnd = "lost" | "stopped";

/**
 * Elects one leader among several processes, by a Lease.
 *
 * A leader renews its Lease; one that cannot for `renewDeadlineSeconds` never leads again and has to exit. Others take
 * the Lease only after having seen it unchanged for `leaseSeconds`, on their own clock. In between lies the margin in
 * which no process writes. There is nothing to wait for where the Lease was released, was never held, did not exist at
 * our first look, or was left by a dead predecessor with our exclusive identity.
 *
 *     const elector = new Elector({ client, namespace: "berg", name: "berg-controller", identity: newIdentity(), … });
 *     const writer = client.guarded(elector.fence);
 *     const end = await elector.run((leading) => startControllers(writer, leading), signal);
 *     await elector.release(deadline);
 */
export class Elector {
  readonly #options: ElectorOptions;
  readonly #timing: ElectionTiming;
  readonly #metrics: ElectionMetrics;
  readonly #fence: Fence;
  readonly #ended = new AbortController();
  #running: Promise<ElectionEnd> | undefined;
  #sighting: Sighting | undefined;
  /** `acquireTime` of the Lease that our dead predecessor left behind, if the first look showed one. */
  #predecessor: string | undefined;
  #holder: string | undefined;
  /** Set before the first write of it, since its answer may be lost. */
  #term: Term | undefined;
  #lease: Stored<Lease> | undefined;
  #deadline: Timer | undefined;
  #waiting = false;
  /** Whether a try has ever come to its end. */
  #reached = false;
  /** When we last told (monotonic ms) that the tries fail; undefined while they do not. */
  #complainedAt: number | undefined;

  constructor(options: ElectorOptions) {
    this.#timing = options.timing ?? defaultTiming;
    checkTiming(this.#timing);
    this.#options = { ...options, log: options.log.child({ lease: `${options.namespace}/${options.name}` }) };
    this.#metrics = options.metrics ?? noElectionMetrics;
    this.#metrics.leading(false);
    this.#fence = new Fence(options.clock, this.#timing.renewDeadlineSeconds * 1000);
  }

  get isLeader(): boolean {
    return this.#fence.isOpen;
  }

  /** The holder when we last looked; `""` if there was none, undefined before the first look. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /**
   * Throws LeadershipLost unless we lead at this very moment. Called right before the bytes of a write go out: timers
   * and abort signals of a process that was stopped come too late for that.
   */
  readonly fence = (): void => {
    if (this.#fence.isOpen) return;
    // Not at once: whoever listens to the leader's signal must not run in the middle of a request being sent.
    if (this.#fence.wasOpen) queueMicrotask(() => this.#loseOverdue());
    throw new LeadershipLost(`this process does not lead by the lease ${this.#where}: nothing is written`);
  };

  /** A liveness check: a leader that should have exited by now, and has not. */
  readonly leaseFresh = (): string | undefined => {
    const limit = this.#timing.leaseSeconds + leaseGraceSeconds;
    if (!this.#fence.wasOpen || this.#fence.ageMs <= limit * 1000) return undefined;
    return `the lease ${this.#where} was not renewed for ${Math.round(this.#fence.ageMs / 1000)} s`;
  };

  /** A readiness check: a candidate that has never been able to run, for want of rights or of a server. */
  readonly leaseReachable = (): string | undefined => {
    if (this.#reached || this.#complainedAt === undefined) return undefined;
    return `cannot read or write the lease ${this.#where}: the log says why`;
  };

  /**
   * Waits for its turn, calls `onStarted`, and renews until leadership is lost or `signal` is aborted, which closes the
   * fence too: so abort it after the last write. The signal given to `onStarted` is aborted at either end. Only once.
   */
  run(onStarted: (leading: AbortSignal) => void, signal: AbortSignal): Promise<ElectionEnd> {
    if (this.#running !== undefined)
      throw new Error(`cannot run for the lease ${this.#where} again: an elector leads at most once`);
    this.#running = this.#run(onStarted, signal);
    return this.#running;
  }

  async #run(onStarted: (leading: AbortSignal) => void, signal: AbortSignal): Promise<ElectionEnd> {
    const { clock, random, log, identity } = this.#options;
    const stop = () => this.#end(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      while (!this.#ended.signal.aborted) {
        const next = clock.monotonic() + this.#timing.retrySeconds * 1000 * (1 + jitter * random());
        const led = this.#fence.wasOpen;
        await this.#try();
        if (!led && this.isLeader) {
          log.info({ identity }, "leading");
          this.#metrics.leading(true);
          onStarted(this.#ended.signal);
        }
        await sleep(clock, next - clock.monotonic(), this.#ended.signal).catch(() => {});
      }
      return this.#ended.signal.reason instanceof LeadershipLost ? "lost" : "stopped";
    } finally {
      signal.removeEventListener("abort", stop);
      this.#end(new Error("the election is over"));
    }
  }

  async #try(): Promise<void> {
    const term = this.#fence.wasOpen ? this.#term : undefined;
    try {
      await (term ? this.#renew(term) : this.#acquire());
      this.#reached = true;
      this.#complainedAt = undefined;
    } catch (error) {
      // That others were faster is no failure.
      if (this.#ended.signal.aborted || isConflict(error) || isAlreadyExists(error)) return;
      this.#complain(error);
    }
  }

  /** A line a minute for as long as it lasts, not one a try. */
  #complain(error: unknown): void {
    const { clock, log, namespace } = this.#options;
    const now = clock.monotonic();
    if (this.#complainedAt !== undefined && now - this.#complainedAt < complaintMs) return;
    this.#complainedAt = now;
    const remedy = isForbidden(error) && `allow get, create and update on leases in ${namespace}`;
    log.warn({ error: errorText(error), ...(remedy && { remedy }) }, "the lease cannot be read or written; trying on");
  }

  /**
   * Lets the next one lead at once. The last act of a process: the fence is closed before. True if the Lease was ours to
   * release; otherwise, and where the server cannot be reached until `signal`, it runs out by itself.
   */
  async release(signal: AbortSignal): Promise<boolean> {
    this.#end(new Error("the lease is released"));
    await this.#running?.catch(() => {});
    const { log, identity, clock } = this.#options;
    if (!this.#term || this.#ended.signal.reason instanceof LeadershipLost) return false;
    try {
      for (;;) {
        const lease = await this.#read(signal);
        if (lease?.spec?.holderIdentity !== identity) return false;
        try {
          await this.#update(released(lease, this.#term, microTimestamp(clock)), signal);
          log.info({ identity }, "the lease is released");
          return true;
        } catch (error) {
          // A renewal that was cut short when we stopped has arrived after all.
          if (!isConflict(error)) throw error;
        }
      }
    } catch (error) {
      log.warn({ identity, error: errorText(error) }, "the lease could not be released, and runs out by itself");
      return false;
    }
  }

  async #acquire(): Promise<void> {
    const { clock, identity } = this.#options;
    const { leaseSeconds } = this.#timing;
    const found = await this.#timed((signal) => this.#read(signal));
    if (!found && !this.#sighting) return this.#createHeld();
    const lease = found ?? (await this.#createUnheld());
    if (!this.#sighting) this.#firstSight(lease);
    const now = clock.monotonic();
    this.#sighting = sight(this.#sighting, lease, now);
    this.#see(lease.spec?.holderIdentity ?? "");

    // Our own earlier try may have been written though its answer never came.
    const won = this.#term && isOfTerm(lease, this.#term) ? this.#term : undefined;
    if (!won && !this.#isInherited(lease) && !isFree(lease, this.#sighting, leaseSeconds, now))
      return this.#tellOfWait(lease);
    this.#term = won ?? newTerm(lease, { holder: identity, leaseSeconds }, microTimestamp(clock));
    await this.#write(lease, this.#term);
  }

  /**
   * There was no Lease at our first look: it was never held. A Lease that somebody deletes under a leader looks the same
   * until that leader's next renewal, when the leader creates it again, or finds our name in it and stops.
   */
  async #createHeld(): Promise<void> {
    const { clock, identity } = this.#options;
    const { leaseSeconds } = this.#timing;
    this.#term ??= newTerm(undefined, { holder: identity, leaseSeconds }, microTimestamp(clock));
    await this.#write(undefined, this.#term);
  }

  #firstSight(lease: Stored<Lease>): void {
    const { identity, isExclusive } = this.#options;
    const isOurs = this.#term !== undefined && isOfTerm(lease, this.#term);
    // A create that is still on its way may arrive after somebody has deleted this Lease, and under a leader.
    if (!isOurs) this.#term = undefined;
    if (isExclusive && lease.spec?.holderIdentity === identity) this.#predecessor = lease.spec.acquireTime ?? "";
  }

  /** Whether our dead predecessor wrote it: maybe after our first look, if its last renewal was still on its way. */
  #isInherited({ spec }: Stored<Lease>): boolean {
    return spec?.holderIdentity === this.#options.identity && (spec.acquireTime ?? "") === this.#predecessor;
  }

  #tellOfWait(lease: Stored<Lease>): void {
    if (this.#waiting) return;
    this.#waiting = true;
    const seconds = silenceSeconds(lease, this.#timing.leaseSeconds);
    this.#options.log.info({ holder: this.#holder || "nobody", seconds }, "waiting for the lease");
  }

  async #renew(term: Term): Promise<void> {
    try {
      await this.#write(this.#lease, term);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      // Edited or deleted by hand, or an earlier renewal of ours was written though its answer never came.
      const lease = await this.#timed((signal) => this.#read(signal));
      const holder = lease?.spec?.holderIdentity || term.holder;
      if (holder === term.holder) await this.#write(lease, term);
      else this.#lose(`${holder} holds the lease`);
    }
  }

  #createUnheld(): Promise<Stored<Lease>> {
    const { client, namespace, name } = this.#options;
    const lease = unheldLease(namespace, name, this.#timing.leaseSeconds);
    return this.#timed((signal) => client.create(Leases, lease, { signal }));
  }

  async #write(lease: Stored<Lease> | undefined, term: Term): Promise<void> {
    const { client, namespace, name, clock } = this.#options;
    const begun = instant(clock);
    const time = microTimestamp(clock);
    this.#lease = await this.#timed((signal) =>
      lease
        ? this.#update(renewed(lease, term, time), signal)
        : client.create(Leases, heldLease(namespace, name, term, time), { signal }),
    );
    this.#see(term.holder);
    this.#confirmed(begun);
  }

  #confirmed(begun: Instant): void {
    if (this.#ended.signal.aborted) return;
    if (this.#fence.renewed(begun)) this.#watchDeadline();
    // A first answer that came too late is none: the next try finds our own term in the Lease.
    else if (this.#fence.wasOpen) this.#loseOverdue();
  }

  #watchDeadline(): void {
    this.#deadline?.cancel();
    // A timer may come a little early: then it is set again.
    this.#deadline = this.#options.clock.setTimer(Math.max(1, this.#fence.leftMs), () => {
      if (this.#fence.isOpen) this.#watchDeadline();
      else this.#loseOverdue();
    });
  }

  #loseOverdue(): void {
    if (!this.#ended.signal.aborted) this.#lose(`no renewal succeeded within ${this.#timing.renewDeadlineSeconds} s`);
  }

  #lose(why: string): void {
    this.#options.log.error({ identity: this.#options.identity, why }, "leadership is lost");
    this.#end(new LeadershipLost(`leadership by the lease ${this.#where} is lost: ${why}`));
  }

  /** For good: the fence first, so that no listener of the signal can still write. */
  #end(reason: unknown): void {
    this.#fence.close();
    this.#deadline?.cancel();
    this.#metrics.leading(false);
    this.#ended.abort(reason);
  }

  #see(holder: string): void {
    if (holder === this.#holder) return;
    this.#holder = holder;
    if (holder) this.#options.log.info({ holder }, "the lease has a new holder");
  }

  async #read(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      return await client.get(Leases, namespace, name, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #update(lease: Stored<Lease>, signal: AbortSignal): Promise<Stored<Lease>> {
    return this.#options.client.update(Leases, lease, { signal });
  }

  /** Gives up on an answer while there is still time for another try. */
  async #timed<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limitSeconds = this.#timing.renewDeadlineSeconds / 2;
    using limit = new AbortFollower(this.#ended.signal);
    const timer = this.#options.clock.setTimer(limitSeconds * 1000, () =>
      limit.abort(new Error(`the server did not answer within ${limitSeconds} s`)),
    );
    try {
      return await call(limit.signal);
    } finally {
      timer.cancel();
    }
  }

  get #where(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }
}

/** How long past its lease a leader may take to exit before it counts as stuck. */
const leaseGraceSeconds = 20;
const complaintMs = 60_000;
