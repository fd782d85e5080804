/** The next status of a Cluster while it is thought out. Times of conditions move only when something changes. */
import { type Cluster, type ClusterPhase, type ClusterStatus, clusterStatusLimits } from "@berg/resources";
import type { Finding } from "./judge/judge.ts";
import type { Seen } from "./seen.ts";

type Conditions = NonNullable<ClusterStatus["conditions"]>;
export type ClusterCondition = Conditions[number];

export class Draft {
  #status: ClusterStatus;
  /** Those that are stored: times are by them, whatever was said and unsaid in this look. */
  readonly #stored: Conditions;
  readonly #time: string;
  readonly #generation: number | undefined;

  /** Goes on from `status` where one was thought out already. */
  constructor({ cluster, time }: Pick<Seen, "cluster" | "time">, status = cluster.status) {
    const { generation } = cluster.metadata;
    this.#generation = generation;
    this.#stored = cluster.status?.conditions ?? [];
    this.#status = { ...status, ...(generation !== undefined && { observedGeneration: generation }) };
    this.#time = time;
  }

  get status(): ClusterStatus {
    return this.#status;
  }

  in(phase: ClusterPhase): this {
    return this.set({ phase });
  }

  set(fields: Omit<ClusterStatus, "conditions">): this {
    this.#status = { ...this.#status, ...fields };
    return this;
  }

  without(...fields: (keyof ClusterStatus)[]): this {
    const rest = { ...this.#status };
    for (const field of fields) delete rest[field];
    this.#status = rest;
    return this;
  }

  say(type: string, finding: Finding): this {
    const conditions = this.#status.conditions ?? [];
    const next = withTimes(findIn(this.#stored, type), { type, ...finding }, this.#generation, this.#time);
    const isNew = !conditions.some((one) => one.type === type);
    this.#status = {
      ...this.#status,
      conditions: isNew ? [...conditions, next] : conditions.map((one) => (one.type === type ? next : one)),
    };
    return this;
  }
}

export function conditionOf({ status }: Cluster, type: string): ClusterCondition | undefined {
  return findIn(status?.conditions ?? [], type);
}

function findIn(conditions: Conditions, type: string): ClusterCondition | undefined {
  return conditions.find((one) => one.type === type);
}

function withTimes(
  before: ClusterCondition | undefined,
  { type, status, reason, message }: Finding & { type: string },
  generation: number | undefined,
  time: string,
): ClusterCondition {
  const text = cut(message);
  const isSame = before?.status === status && before.reason === reason && before.message === text;
  return {
    type,
    status,
    reason,
    message: text,
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime: (before?.status === status && before.lastTransitionTime) || time,
    lastUpdateTime: (isSame && before.lastUpdateTime) || time,
  };
}

function cut(text: string): string {
  const characters = [...text];
  const { message } = clusterStatusLimits;
  return characters.length <= message ? text : `${characters.slice(0, message - 1).join("")}…`;
}
