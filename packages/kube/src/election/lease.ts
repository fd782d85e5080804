/**
 * What a candidate makes of a Lease, and what it writes into one. Pure.
 *
 * - Times in a Lease are for people. Whether a holder is gone is decided by our own clock alone: the Lease has not
 *   changed for as long as a living holder may be silent, counted from when we saw it.
 * - Leadership begins with an update under the resourceVersion that was seen, or with the create of a Lease that did not
 *   exist at the first look. A candidate that has seen the Lease before creates it without a holder and waits: it was
 *   deleted, maybe under a leader that has not noticed yet.
 */
import type { Stored, ToCreate } from "@berg/apimachinery";
import type { Lease } from "../kinds.ts";

/** What client-go writes too, beside an empty holder. */
const releasedSeconds = 1;
const largestInt32 = 2 ** 31 - 1;

/** How the Lease looked, and since when (monotonic ms) it has looked like that to us. */
export interface Sighting {
  readonly looks: string;
  readonly since: number;
}

export function sight(previous: Sighting | undefined, lease: Stored<Lease>, now: number): Sighting {
  const { uid, resourceVersion } = lease.metadata;
  const looks = JSON.stringify([uid, resourceVersion, lease.spec?.holderIdentity, lease.spec?.renewTime]);
  return previous?.looks === looks ? previous : { looks, since: now };
}

/**
 * Whether nobody can be leading by this Lease any more.
 *
 * A person may blank the holder or shorten the duration while a leader is at work that has not noticed yet. So that
 * counts as held, for at least our own duration. Free at once is only what was released, or made without a spec.
 */
export function isFree(lease: Stored<Lease>, sighting: Sighting, leaseSeconds: number, now: number): boolean {
  const { holderIdentity, leaseDurationSeconds, renewTime } = lease.spec ?? {};
  if (!holderIdentity) {
    const neverHeld = leaseDurationSeconds === undefined && renewTime === undefined;
    if (neverHeld || leaseDurationSeconds === releasedSeconds) return true;
  }
  return now - sighting.since >= silenceSeconds(lease, leaseSeconds) * 1000;
}

/** How long a Lease that is not free has to stay as it is before it counts as free. */
export function silenceSeconds(lease: Stored<Lease>, leaseSeconds: number): number {
  return Math.max(lease.spec?.leaseDurationSeconds ?? 0, leaseSeconds);
}

/** One holder's reign, as it stands in the Lease from its first write to its last. */
export interface Term {
  readonly holder: string;
  readonly leaseSeconds: number;
  readonly acquireTime: string;
  readonly transitions: number;
}

export function newTerm(
  lease: Stored<Lease> | undefined,
  { holder, leaseSeconds }: { holder: string; leaseSeconds: number },
  time: string,
): Term {
  const before = lease?.spec?.leaseTransitions ?? -1;
  // One more than the largest would be refused by the server for ever.
  return { holder, leaseSeconds, acquireTime: time, transitions: before < largestInt32 ? before + 1 : 0 };
}

/** Whether we wrote it ourselves in this term. A person may have entered our name while another leads. */
export function isOfTerm(lease: Stored<Lease>, term: Term): boolean {
  return lease.spec?.holderIdentity === term.holder && lease.spec.acquireTime === term.acquireTime;
}

/** A Lease without a holder, which all candidates leave alone for its duration: there may be a leader by an earlier one. */
export function unheldLease(namespace: string, name: string, leaseSeconds: number): ToCreate<Lease> {
  return { metadata: { namespace, name }, spec: { leaseDurationSeconds: leaseSeconds } };
}

/** The Lease as its holder creates it: its first one, or again after somebody has deleted it. */
export function heldLease(namespace: string, name: string, term: Term, time: string): ToCreate<Lease> {
  return { metadata: { namespace, name }, spec: specOf(term, time) };
}

/** The Lease as its holder writes it. Labels, annotations and fields of others stay. */
export function renewed(lease: Stored<Lease>, term: Term, time: string): Stored<Lease> {
  return { ...lease, spec: { ...lease.spec, ...specOf(term, time) } };
}

/** Free for the next one at once. */
export function released(lease: Stored<Lease>, term: Term, time: string): Stored<Lease> {
  const spec = { ...specOf(term, time), holderIdentity: "", leaseDurationSeconds: releasedSeconds };
  return { ...lease, spec: { ...lease.spec, ...spec } };
}

function specOf(term: Term, renewTime: string): NonNullable<Lease["spec"]> {
  return {
    holderIdentity: term.holder,
    leaseDurationSeconds: term.leaseSeconds,
    acquireTime: term.acquireTime,
    renewTime,
    leaseTransitions: term.transitions,
  };
}
