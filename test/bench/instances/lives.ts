/**
 * What became of every instance and when, as watches of the bench's own client tell it: all times are those at which a
 * frame arrived here, so that one clock measures all of them.
 */
import type { KubeObject, Stored } from "@berg/apimachinery";
import {
  type Change,
  type Client,
  Deployments,
  Informer,
  isConditionTrue,
  Namespaces,
  type Pod,
  Pods,
} from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, labels, managedByBerg } from "@berg/resources";

/** Times are ms since 1970. */
export class Life {
  createdAt?: number;
  deployedAt?: number;
  /** When the last of its pods was ready for the first time. */
  podsReadyAt?: number;
  runningAt?: number;
  expiresAt?: number;
  terminationReason?: string;
  /** When its end was decided. */
  endingAt?: number;
  deploymentGoneAt?: number;
  /** When the last of its pods was gone. */
  podsGoneAt?: number;
  /** When the deletion of its namespace was requested. */
  namespaceDeletedAt?: number;
  namespaceGoneAt?: number;
  goneAt?: number;
  readonly running = Promise.withResolvers<void>();
  readonly podsReady = Promise.withResolvers<void>();
  readonly gone = Promise.withResolvers<void>();
  readonly namespaceGone = Promise.withResolvers<void>();
}

const ours = { labelSelector: `${labels.managedBy}=${managedByBerg}` };

export class Lives implements AsyncDisposable {
  readonly #byOwner = new Map<string, Life>();
  readonly #stopping = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  static async watch(client: Client): Promise<Lives> {
    const lives = new Lives();
    const { signal } = lives.#stopping;
    const informers = [
      lives.#follow(new Informer({ client, type: ChallengeInstances }), lives.#onInstance),
      lives.#follow(new Informer({ client, type: Deployments, selection: ours }), lives.#onDeployment),
      lives.#follow(new Informer({ client, type: Pods, selection: ours }), lives.#onPod),
      lives.#follow(new Informer({ client, type: Namespaces, selection: ours }), lives.#onNamespace),
    ];
    lives.#ended = Promise.all(informers.map((informer) => informer.run(signal)));
    await Promise.all(informers.map((informer) => informer.synced()));
    return lives;
  }

  /** That of an owner's only instance, also before anything is known of it. */
  of(ownerId: string): Life {
    const life = this.#byOwner.get(ownerId) ?? new Life();
    this.#byOwner.set(ownerId, life);
    return life;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  #follow<T extends KubeObject>(
    informer: Informer<T>,
    note: (change: Change<T>, life: Life) => void,
  ): Pick<Informer<T>, "run" | "synced"> {
    informer.onChange((change) => {
      const { metadata } = change.object as KubeObject;
      const { spec } = change.object as KubeObject & { spec?: { ownerId?: string } };
      const ownerId = spec?.ownerId ?? metadata.labels?.[labels.ownerId];
      if (ownerId !== undefined) note(change, this.of(ownerId));
    });
    return informer;
  }

  readonly #onInstance = ({ type, object }: Change<ChallengeInstance>, life: Life) => {
    const at = now();
    const { status } = object;
    life.createdAt ??= at;
    if (status?.expiresAt !== undefined) life.expiresAt = Date.parse(status.expiresAt);
    if (status?.terminationReason !== undefined) {
      life.terminationReason = status.terminationReason;
      life.endingAt ??= at;
    }
    if (status?.phase === "Running" && life.runningAt === undefined) {
      life.runningAt = at;
      life.running.resolve();
    }
    if (type !== "deleted") return;
    life.goneAt = at;
    life.gone.resolve();
  };

  readonly #onDeployment = ({ type }: Change<KubeObject>, life: Life) => {
    life.deployedAt ??= now();
    if (type === "deleted") life.deploymentGoneAt = now();
  };

  readonly #onPod = ({ type, object }: Change<Pod>, life: Life) => {
    if (type === "deleted") life.podsGoneAt = now();
    else if (isReady(object) && life.podsReadyAt === undefined) {
      life.podsReadyAt = now();
      life.podsReady.resolve();
    }
  };

  readonly #onNamespace = ({ type, object }: Change<KubeObject>, life: Life) => {
    if (object.metadata.deletionTimestamp !== undefined) life.namespaceDeletedAt ??= now();
    if (type !== "deleted") return;
    life.namespaceGoneAt = now();
    life.namespaceGone.resolve();
  };
}

function isReady({ status }: Stored<Pod>): boolean {
  return isConditionTrue(status?.conditions, "Ready");
}

/** Ms since 1970, with fractions. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
