/** A cluster with one Challenge, the controller in it, and what a test does to instances there. */
import type { Stored } from "@berg/apimachinery";
import type { Namespace } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, Challenges } from "@berg/resources";
import type { Settings } from "../settings/settings.ts";
import { home, makeChallenge, makeInstance, makeSettings, usualContainers } from "./make-objects.ts";
import { ModelCluster } from "./model-cluster.ts";
import { ModelController } from "./model-controller.ts";

export function begin(settings: Settings = makeSettings()) {
  const cluster = new ModelCluster();
  const controller = new ModelController(cluster, settings);
  cluster.create("hand", Challenges, makeChallenge({ containers: usualContainers }));
  const create = (name: string, owner?: string) => {
    cluster.now += 1000;
    cluster.create("hand", ChallengeInstances, makeInstance(name, owner).createdAt(cluster.now).object);
  };
  const find = (name: string) => cluster.find<ChallengeInstance>(ChallengeInstances, `${home}/${name}`);
  const statusOf = (name: string) => find(name)?.status ?? {};
  const remove = (name: string) => cluster.delete("hand", ChallengeInstances, `${home}/${name}`);
  const edit = (name: string, change: (draft: Stored<ChallengeInstance>) => void) =>
    cluster.edit("hand", find(name) as Stored<ChallengeInstance>, change);
  return { cluster, controller, create, find, statusOf, remove, edit };
}

/** Of the cluster's only instance. */
export function namespaceOf(cluster: ModelCluster): Stored<Namespace> {
  return cluster.all<Namespace>("Namespace")[0] as Stored<Namespace>;
}
