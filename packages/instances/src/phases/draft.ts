/** A status in the making. Every change of an instance's status goes through these methods, so each can be found. */
import { formatTime } from "@berg/apimachinery";
import { findCondition, setCondition } from "@berg/kube";
import { type ChallengeInstanceStatus, type InstancePhase, statusLimits } from "@berg/resources";
import type { Snapshot } from "../observe/snapshot.ts";
import { type ConditionType, conditionTypes, type Reason } from "../vocabulary.ts";
import { Lately } from "./lately.ts";
import type { Verdict } from "./stuck.ts";
import { canBeHidden, formsOf, withoutForms } from "./without-flag.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type ConditionStatus = "True" | "False" | "Unknown";

/** An instance is looked at several times in a row. */
const forms = new Lately<string[]>(64);

export class StatusDraft {
  readonly status: Writable<ChallengeInstanceStatus>;
  readonly #now: string;
  readonly #generation: number | undefined;
  readonly #flag: string | undefined;
  readonly #said = new Set<ConditionType>();

  constructor({ instance, now }: Pick<Snapshot, "instance" | "now">) {
    this.#now = formatTime(now);
    this.#generation = instance.metadata.generation;
    this.#flag = instance.spec.flag;
    this.status = { ...instance.status };
    if (this.#generation !== undefined) this.status.observedGeneration = this.#generation;
  }

  get now(): string {
    return this.#now;
  }

  /** Takes over a status that was worked out from this one. */
  become(status: ChallengeInstanceStatus): void {
    for (const name of Object.keys(this.status)) delete this.status[name as keyof ChallengeInstanceStatus];
    Object.assign(this.status, status);
  }

  /** Of one that is not all made. A phase is not gone back to: one that had pods before is still starting. */
  get makingPhase(): "Creating" | "Starting" {
    return this.status.phase === "Starting" || this.status.phase === "Failed" ? "Starting" : "Creating";
  }

  /** A phase that needs no explanation, or no more than a few words. */
  enter(phase: InstancePhase, message?: string): void {
    this.status.phase = phase;
    delete this.status.reason;
    if (message === undefined) delete this.status.message;
    else this.status.message = this.#text(message);
  }

  /** A phase that somebody will ask about. */
  enterBecause(phase: InstancePhase, reason: Reason, message: string): void {
    this.enterFor(phase, { reason, message });
  }

  /** A phase that somebody else decides, for a reason that is in their vocabulary and not in ours. */
  enterFor(phase: InstancePhase, { reason, message }: Verdict): void {
    this.status.phase = phase;
    this.status.reason = reason;
    this.status.message = this.#text(message);
  }

  /** What keeps the instance from being made: said by the phase, and by the condition that it concerns. */
  hold(phase: "Pending" | "Failed", type: ConditionType, reason: Reason, message: string): void {
    this.condition(type, "False", reason, message);
    this.enterBecause(phase, reason, message);
  }

  condition(type: ConditionType, status: ConditionStatus, reason: Reason, message: string): void {
    this.#said.add(type);
    const before = findCondition(this.status.conditions, type)?.message;
    // What stands there already was made safe when it was written.
    const safe = message === before ? message : this.#text(message);
    const wanted = { type, status, reason, message: safe, observedGeneration: this.#generation };
    this.status.conditions = setCondition(
      this.status.conditions as Parameters<typeof setCondition>[0],
      wanted,
      this.#now,
    ) as NonNullable<ChallengeInstanceStatus["conditions"]>;
  }

  /** What was true of an earlier look and was not said in this one. Conditions of others stay. */
  forgetUnsaid(): void {
    const ours = new Set<string>(Object.values(conditionTypes));
    for (const type of this.#said) ours.delete(type);
    const kept = this.status.conditions?.filter(({ type }) => !ours.has(type));
    if (kept && kept.length !== this.status.conditions?.length) this.status.conditions = kept;
  }

  /** Words of others who were given the flag. Where that could not be found in them they are not repeated at all. */
  quoted(words: string): string {
    const isSafe = !this.#flag || canBeHidden(this.#flag);
    return isSafe ? words : "(withheld: it may quote the flag)";
  }

  /** Some of it are others' words, of a registry or a container runtime, and those may quote what they were given. */
  #text(message: string): string {
    const safe = this.#withoutFlag(message);
    // The API server refuses a longer one, and with it the whole status.
    return safe.length <= statusLimits.message ? safe : `${safe.slice(0, statusLimits.message - 1)}…`;
  }

  #withoutFlag(message: string): string {
    const flag = this.#flag;
    if (!flag) return message;
    if (!canBeHidden(flag)) return message.includes(flag) ? this.quoted(message) : message;
    return withoutForms(
      message,
      forms.of(flag, [], () => formsOf(flag)),
    );
  }
}
