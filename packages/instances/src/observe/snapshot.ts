/** All that decides about one instance at one moment. Frozen: deciding looks at it and changes nothing. */
import { type KubeObject, parseTime, type ResourceType, type Stored } from "@berg/apimachinery";
import {
  type ControllerRevision,
  type Deployment,
  Deployments,
  type Namespace,
  type Pod,
  type Secret,
} from "@berg/kube";
import type { Challenge, ChallengeInstance, FieldError } from "@berg/resources";
import type { Child } from "../builders/blueprint.ts";

/** One moment by two clocks, in ms since 1970. */
export interface Moment {
  /** By our own, which instances end by. */
  now: number;
  /** By the API server's, which wrote the times of what it stores. */
  serverNow: number;
}

export interface Snapshot extends Moment {
  instance: Stored<ChallengeInstance>;
  /** For an instance that has none yet. */
  freshId: string;
  /** Validated and with its defaults, whichever CRD it was stored under. Undefined, too, for an instance that ends. */
  challenge: Stored<Challenge> | undefined;
  /** Why the Challenge cannot be run as it is stored: then only its valid fields are in `challenge`. */
  challengeErrors: readonly FieldError[];
  /** The one that the status names. */
  revision: Stored<ControllerRevision> | undefined;
  /** Those of the same owner that have not ended yet. */
  rivals: readonly Stored<ChallengeInstance>[];
  /** Whether the organiser's limit admits this instance. */
  hasCapacity(): boolean;
  /** For how long this process has known that something of it has to be told to stop; 0 where nothing has. */
  stoppingMs: number;
  /** How long the deletion of its namespace has to wait, if its end began at `since`; 0 where it need not. */
  namespaceDeletionDelayMs(since: number): number;
  /** The one under this instance's name, whoever made it; a foreign one shows only where it got in the way. */
  namespace: Stored<Namespace> | undefined;
  /** Everything in it that carries our mark, by `childKey`. */
  children: ReadonlyMap<string, Stored<KubeObject>>;
  pods: readonly Stored<Pod>[];
  pullSecret: Stored<Secret> | undefined;
  /** Where it has to be. */
  pullSecretNamespace: string;
  /** The kinds of children that can be made and looked after here, by their name. */
  kinds: ReadonlyMap<string, ResourceType>;
  /** Whether what was found is what is wanted, as far as the server lets it be. */
  isAsWanted(child: Child, found: Stored<KubeObject>): boolean;
  /** Whether it was so at an earlier look of this process. */
  wasAsWanted(found: Stored<KubeObject>): boolean;
}

/** `childKey("Service", "web")` */
export function childKey(kind: string, name: string): string {
  return `${kind}/${name}`;
}

export function deploymentsOf({ children }: Pick<Snapshot, "children">): Stored<Deployment>[] {
  return [...children.values()].filter(({ kind }) => kind === Deployments.kind) as Stored<Deployment>[];
}

/**
 * A time that the API server or a node wrote, by our own clock, in ms since 1970: theirs may be minutes off ours. Up to a
 * second or two late, as `ServerClock` is.
 */
export function onOurClock({ now, serverNow }: Moment, time: string): number {
  return parseTime(time) + now - serverNow;
}
