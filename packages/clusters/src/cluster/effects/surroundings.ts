/** What the work on Clusters stands on. */
import type { Client, Clock, EventRecorder, Informer, Logger, OwnWrites, Random } from "@berg/kube";
import type { Cluster, KubeconfigRequest, SubscriptionRequest } from "@berg/resources";
import type { Garden } from "../../gardener/garden.ts";
import type { Shoot } from "../../gardener/kinds.ts";
import type { WatchedSecrets } from "../../secrets/watched-secrets.ts";
import type { TargetAccess } from "../../target/target.ts";
import type { Turns } from "../../turns.ts";
import type { Memories } from "../memories.ts";

export interface Surroundings {
  /** Of our own objects. */
  readonly client: Client;
  readonly garden: Garden;
  readonly targets: TargetAccess;
  readonly secrets: WatchedSecrets;
  readonly recorder: EventRecorder;
  readonly clusters: OwnWrites<Cluster>;
  readonly subscriptions: OwnWrites<SubscriptionRequest>;
  readonly shoots: OwnWrites<Shoot>;
  readonly kubeconfigs: Informer<KubeconfigRequest>;
  readonly memories: Memories;
  /** Of clusters that were brought along and are to be reached: see lineOf. */
  readonly turns: Turns;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
