/**
 * Whose namespace may be deleted now. To take a namespace apart costs the API server and kube-controller-manager twice
 * as much as to start an instance. Where many end at once and all of their namespaces were deleted at once, nobody else
 * would start or stop in time. So the workload stops at once, and the namespace goes when it is its turn: first those
 * that ended first, fewer at once the more instances start and stop.
 *
 * How many go is counted from the copies, so it is right after a restart. Those who wait are remembered from their last
 * look: who waits and is not looked at again is looked at by its own timer.
 */
import { keyOf, type ObjectKey, parseTime, type Stored } from "@berg/apimachinery";
import type { Clock, Namespace } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import { instanceNamespaceName } from "../builders/names.ts";
import { busyForMs } from "./busy.ts";
import { Line } from "./line.ts";

type Instance = Stored<ChallengeInstance>;

/** Turns of those that are taken apart. */
const mostAtOnce = 16;
/** Kubernetes lets a namespace rest before it takes it apart. Meanwhile it costs nothing, so that others may follow. */
const restMs = 5000;
/** But those that are deleted together are taken apart together. */
const togetherMs = 1000;
/**
 * What each counts. Where nobody starts or stops, 27 rest and ten are taken apart, for which kube-controller-manager has the
 * workers unless told otherwise. It takes two seconds for one, as it waits for the API server some eighty times: five a second go.
 */
const weights = { apart: 5, resting: 1, busy: 4 };
/** What does not go in this time is held by somebody's finalizer, and said to be stuck. It costs nothing more. */
const countsForMs = 60_000;
/** Busy times may last for hours. So that what is left behind stays within bounds, nobody makes way for longer. */
const makesWayForMs = 600_000;
/** Those who wait are told when somebody goes. For what only time changes, the first look again soon, the others later. */
const lookAgainMs = { first: 1000, others: 30_000 };

interface Waiting {
  instance: Instance;
  /** When its end began, in ms since 1970. */
  since: number;
}

export class Turns {
  readonly #instance: (key: ObjectKey) => Instance | undefined;
  readonly #namespace: (name: string) => Stored<Namespace> | undefined;
  readonly #clocks: { own: Clock; server: Clock };
  readonly #most: number;
  readonly #line = new Line<Waiting>(isBefore);
  /** Instances that start or stop, and until when they count, in monotonic ms. */
  readonly #busy = new Map<ObjectKey, number>();
  /** Namespaces that go, and since when, in monotonic ms. */
  readonly #going = new Map<string, number>();
  /** Of those, the ones whose deletion is being asked for. */
  readonly #asked = new Set<string>();

  /** `instance` and `namespace` give them as they are now, with what this process has written. */
  constructor(
    instance: (key: ObjectKey) => Instance | undefined,
    namespace: (name: string) => Stored<Namespace> | undefined,
    clocks: { own: Clock; server: Clock },
    most = mostAtOnce,
  ) {
    this.#instance = instance;
    this.#namespace = namespace;
    this.#clocks = clocks;
    this.#most = most;
  }

  /** To be told of every change of an instance before anybody looks at it. */
  instanceChanged(key: ObjectKey): void {
    const instance = this.#instance(key);
    if (!instance) this.#line.leave(key);
    // Who waits here has stopped.
    const isBusy = instance && !this.#line.has(key);
    const { own, server } = this.#clocks;
    const moment = { now: own.now(), serverNow: server.now() };
    const ms = isBusy ? busyForMs(instance, this.#namespace(nameOf(instance)), moment) : undefined;
    if (ms === undefined) this.#busy.delete(key);
    else this.#busy.set(key, own.monotonic() + ms);
  }

  /** To be told of every change of a namespace before anybody looks at its instance. */
  namespaceChanged(name: string): void {
    if (this.#asked.has(name)) return;
    const { deletionTimestamp } = this.#namespace(name)?.metadata ?? {};
    if (deletionTimestamp === undefined) this.#going.delete(name);
    else if (!this.#going.has(name)) this.#going.set(name, this.#monotonicAt(deletionTimestamp));
  }

  /**
   * How long it has to wait before it looks again; 0 where it is its turn. `since`: when its end began, in ms since 1970.
   */
  waitMs(instance: Instance, since: number): number {
    const [first = { since }] = this.#line.first(1);
    const free = this.#free(Math.min(since, first.since), keyOf(instance));
    const ahead = this.#line.ahead({ instance, since });
    if (ahead < free) return 0;
    return ahead < this.#most ? lookAgainMs.first : lookAgainMs.others;
  }

  /** It keeps its place in the line until it is looked at again. */
  wait(instance: Instance, since: number): void {
    const key = keyOf(instance);
    this.#line.join(key, { instance, since });
    this.#busy.delete(key);
  }

  /** At each look: one that cannot be looked at, or waits no more, must not hold up those behind it. */
  leave(key: ObjectKey): void {
    this.#line.leave(key);
  }

  /** Without a pause after `waitMs`: else two that are looked at side by side would both have the last turn. */
  take(instance: Instance): void {
    const name = nameOf(instance);
    this.#asked.add(name);
    this.#going.set(name, this.#clocks.own.monotonic());
  }

  /** To be told when the deletion is asked for, or could not be. */
  release(instance: Instance): void {
    const name = nameOf(instance);
    this.#asked.delete(name);
    this.namespaceChanged(name);
    this.instanceChanged(keyOf(instance));
  }

  /** Those whose turn it is now. */
  next(): ObjectKey[] {
    const [first] = this.#line.first(1);
    return first ? this.#line.first(this.#free(first.since)).map(({ instance }) => keyOf(instance)) : [];
  }

  #monotonicAt(serverTime: string): number {
    const { own, server } = this.#clocks;
    return own.monotonic() - Math.max(0, server.now() - parseTime(serverTime));
  }

  /** How many may go now, if the first of those who wait ended at `since`. */
  #free(since: number, except?: ObjectKey): number {
    const { own } = this.#clocks;
    const now = own.monotonic();
    const all = this.#most * weights.apart;
    const makesWay = since + makesWayForMs > own.now();
    const limit = makesWay ? Math.max(weights.apart, all - this.#busyWeight(now, all, except)) : all;
    const { weight, together } = this.#goingNow(now, all);
    return Math.min(Math.floor((limit - weight) / weights.apart), Math.floor(limit / weights.apart) - together);
  }

  /** Up to `all`: more need not be counted. */
  #busyWeight(now: number, all: number, except: ObjectKey | undefined): number {
    let weight = 0;
    for (const [key, until] of this.#busy) {
      if (until <= now) this.#busy.delete(key);
      else if (key !== except) weight += weights.busy;
      if (weight >= all) break;
    }
    return weight;
  }

  #goingNow(now: number, all: number): { weight: number; together: number } {
    let [weight, together] = [0, 0];
    for (const [name, since] of this.#going) {
      const age = now - since;
      if (age >= countsForMs && !this.#asked.has(name)) this.#going.delete(name);
      else weight += age < restMs ? weights.resting : weights.apart;
      if (age < togetherMs) together++;
      if (weight >= all) break;
    }
    return { weight, together };
  }
}

function nameOf({ spec }: Instance): string {
  return instanceNamespaceName(spec.ownerId);
}

function isBefore(one: Waiting, other: Waiting): boolean {
  if (one.since !== other.since) return one.since < other.since;
  return one.instance.metadata.uid < other.instance.metadata.uid;
}
