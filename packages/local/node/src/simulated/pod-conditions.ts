import { formatTime } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";

type PodCondition = NonNullable<NonNullable<Pod["status"]>["conditions"]>[number] & { observedGeneration?: number };

/** A pod's conditions, to be brought up to date: those that nobody sets stay, and a time moves with its status only. */
export class Conditions {
  readonly #byType: Map<string, PodCondition>;
  readonly #generation: number | undefined;
  readonly #now: string;

  constructor(pod: Pod, now: number) {
    this.#byType = new Map(pod.status?.conditions?.map((condition) => [condition.type, condition]));
    this.#generation = pod.metadata.generation;
    this.#now = formatTime(now);
  }

  get list(): PodCondition[] {
    return [...this.#byType.values()];
  }

  has(type: string): boolean {
    return this.#byType.has(type);
  }

  set(type: string, status: "True" | "False", why: { reason?: string; message?: string } = {}): void {
    const old = this.#byType.get(type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : this.#now;
    this.#byType.set(type, {
      type,
      status,
      ...why,
      ...(lastTransitionTime !== undefined && { lastTransitionTime }),
      ...(this.#generation !== undefined && { observedGeneration: this.#generation }),
    });
  }
}
