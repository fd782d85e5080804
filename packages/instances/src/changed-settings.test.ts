/** Whole lives in a cluster in memory, in the middle of which the organiser sets something else, or something goes. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import { type Deployment, Deployments, findCondition, type Secret, Secrets } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { type ChallengeInstance, ChallengeInstances, Challenges } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { HTTPRoutes } from "./builders/route-types.ts";
import { containerOf, ownerId } from "./builders/testing/blueprints.ts";
import { home, makeChallenge, makeInstance, makeSettings } from "./testing/make-objects.ts";
import { ModelCluster } from "./testing/model-cluster.ts";
import { ModelController } from "./testing/model-controller.ts";

type Wishes = Parameters<typeof makeSettings>[0];

const withPullSecret = { build: { pullSecretName: "registry" } };
const withFlagInSecret = { build: { flagStorage: "Secret" as const } };
const containers = [
  containerOf("web", [{ port: 80, type: "publicHttpRoute" }], {
    dynamicFlag: { content: { path: "/flag" } },
    additionalCapabilities: ["MKNOD"],
  }),
];

class Event {
  readonly cluster = new ModelCluster();
  controller: ModelController;

  constructor(before: Wishes) {
    this.controller = new ModelController(this.cluster, makeSettings(before));
    this.cluster.create("hand", Challenges, makeChallenge({ containers }));
    this.createSecret("registry");
  }

  createSecret(name: string): void {
    const type = "kubernetes.io/dockerconfigjson";
    this.cluster.create("hand", Secrets, { metadata: { namespace: home, name }, type, data: { config: name } });
  }

  start(name: string, ownerId?: string): void {
    this.cluster.now += 1000;
    const { object } = makeInstance(name, ownerId).withSpec({ flag: "flag{1}" }).createdAt(this.cluster.now);
    this.cluster.create("hand", ChallengeInstances, object);
  }

  /** Another controller takes over. Returns what it writes besides the status of the instances. */
  async goOnWith(after: Wishes): Promise<string[]> {
    const { length } = this.cluster.changes;
    this.controller = new ModelController(this.cluster, makeSettings(after));
    await this.controller.settle();
    expect(this.controller.errors).toEqual([]);
    return this.cluster.changes
      .slice(length)
      .filter(({ object }) => object.kind !== ChallengeInstances.kind)
      .map(({ by, type, object }) => `${by} ${type} ${object.kind} ${object.metadata.name}`);
  }

  /** Until its first Deployment is about to be made. */
  async stopBeforePods(): Promise<void> {
    const { client } = this.controller;
    client.beforeWrite = ({ kind }) => {
      if (kind === Deployments.kind) throw new Error("the controller ends here");
    };
    await this.controller.settle(2000);
    expect(this.cluster.all("Deployment")).toEqual([]);
  }

  status(name: string) {
    return this.cluster.find<ChallengeInstance>(ChallengeInstances, `${home}/${name}`)?.status ?? {};
  }

  copies(): Stored<Secret>[] {
    return this.cluster.all<Secret>("Secret").filter(({ metadata }) => metadata.namespace !== home);
  }
}

describe("what runs is not touched when", () => {
  test.each<{ name: string; before?: Wishes; after: Wishes }>([
    { name: "its capability is no longer allowed", after: { capabilities: ["KILL"] } },
    { name: "a pull secret is named", after: withPullSecret },
    { name: "no pull secret is named any more", before: withPullSecret, after: {} },
    { name: "another pull secret is named", before: withPullSecret, after: { build: { pullSecretName: "other" } } },
    {
      name: "no pull secret is named any more, but flags are in Secrets",
      before: withPullSecret,
      after: withFlagInSecret,
    },
    { name: "flags are no longer in Secrets", before: withFlagInSecret, after: {} },
    { name: "flags are in Secrets from now on", after: withFlagInSecret },
    { name: "Challenges are somewhere else", after: { challengeNamespace: "other" } },
  ])("$name", async ({ before, after }) => {
    const event = new Event(before);
    event.createSecret("other");
    event.start("a");
    await event.controller.settle();
    expect(event.status("a").phase).toBe("Running");
    expect(await event.goOnWith(after)).toEqual([]);
    expect(event.status("a").phase).toBe("Running");
    expect(event.controller.told).toEqual([]);
  });
});

test("what runs is put back though nobody looks after its Secrets any more", async () => {
  const event = new Event({ build: { ...withPullSecret.build, ...withFlagInSecret.build } });
  event.start("a");
  await event.controller.settle();
  event.cluster.delete("hand", Deployments, `challenge-${ownerId}/web`);
  await event.goOnWith({});
  expect(event.cluster.all("Deployment")).toHaveLength(1);
  expect(event.status("a").phase).toBe("Running");
});

describe("what was begun and cannot be finished any more", () => {
  test.each<{ name: string; before: Wishes; after: Wishes; reason: string; message: RegExp }>([
    {
      name: "without Secrets for its flag",
      before: withFlagInSecret,
      after: {},
      reason: "KindMissing",
      message: /set FLAG_STORAGE=Secret again/,
    },
    {
      name: "without a pull secret",
      before: withPullSecret,
      after: {},
      reason: "PullSecretMissing",
      message: /set PULL_SECRET_NAME=registry again/,
    },
  ])("$name says so and waits, and goes on when it can", async ({ before, after, reason, message }) => {
    const event = new Event(before);
    event.start("a");
    await event.stopBeforePods();
    for (const { metadata } of event.copies()) {
      event.cluster.delete("hand", Secrets, `${metadata.namespace}/${metadata.name}`);
    }
    await event.goOnWith(after);
    expect(event.cluster.all("Deployment")).toEqual([]);
    expect(event.status("a")).toMatchObject({ phase: "Creating", reason, message: expect.stringMatching(message) });
    expect(findCondition(event.status("a").conditions, "DeploymentsCreated")).toMatchObject({
      status: "False",
      reason,
    });
    expect(await event.controller.requestsOfAnotherLook()).toEqual([]);

    await event.goOnWith(before);
    expect(event.status("a").phase).toBe("Running");
  });

  test("waits for a pull secret that somebody has removed, and goes on when it is back", async () => {
    const event = new Event(withPullSecret);
    event.start("a");
    const { client } = event.controller;
    client.beforeWrite = ({ kind }) => {
      if (kind === Secrets.kind) throw new Error("the controller ends here");
    };
    await event.controller.settle(2000);
    event.cluster.delete("hand", Secrets, `${home}/registry`);
    await event.goOnWith(withPullSecret);
    const message = expect.stringMatching(/no Secret registry .* in the namespace berg; create it there/);
    expect(event.status("a")).toMatchObject({ phase: "Creating", reason: "PullSecretMissing", message });
    event.createSecret("registry");
    await event.controller.settle();
    expect(event.status("a").phase).toBe("Running");
  });

  test("is finished with the copy of a pull secret that was made before", async () => {
    const event = new Event(withPullSecret);
    event.start("a");
    await event.stopBeforePods();
    await event.goOnWith({ build: { pullSecretName: "other" } });
    expect(event.status("a").phase).toBe("Running");
    expect(event.copies().map(({ data }) => data)).toEqual([{ config: "registry" }]);
  });

  test("makes no pod without the network policy that it was begun with", async () => {
    const event = new Event({ build: { network: { policy: "cilium", denyCidrs: [] } } });
    event.start("a");
    await event.stopBeforePods();
    event.controller = new ModelController(event.cluster, event.controller.settings);
    event.controller.kinds.delete("CiliumNetworkPolicy");
    await event.controller.settle();
    expect(event.status("a")).toMatchObject({ phase: "Creating", reason: "KindMissing" });
    expect(event.cluster.all("Deployment")).toEqual([]);
    event.controller.kinds.add("CiliumNetworkPolicy");
    await event.controller.settle();
    expect(event.status("a").phase).toBe("Running");
  });
});

test("a pull secret that is renewed is copied again, and that is nobody else's doing", async () => {
  const event = new Event(withPullSecret);
  event.start("a");
  await event.controller.settle();
  const source = event.cluster.find<Secret>(Secrets, `${home}/registry`) as Stored<Secret>;
  event.cluster.edit("hand", source, (draft) => {
    draft.data = { config: "renewed" };
  });
  await event.controller.settle();
  expect(event.copies().map(({ data }) => data)).toEqual([{ config: "renewed" }]);
  expect(event.controller.told.map(({ reason }) => reason)).toEqual(["InstanceCreating", "InstanceReady"]);
});

test("what a controller finds in another way when it starts is put right, and nobody is blamed: it may be an upgrade", async () => {
  const event = new Event({});
  event.start("a");
  await event.controller.settle();
  const deployment = event.cluster.find<Deployment>(Deployments, `challenge-${ownerId}/web`) as Stored<Deployment>;
  const edit = () =>
    event.cluster.edit("hand", deployment, ({ spec }) => {
      Object.assign(spec ?? {}, { replicas: 0 });
    });
  edit();
  expect(await event.goOnWith({})).toContain("controller updated Deployment web");
  expect(event.controller.told.filter(({ reason }) => reason === "ObjectRepaired")).toEqual([]);
  edit();
  await event.controller.settle();
  expect(event.controller.told.filter(({ reason }) => reason === "ObjectRepaired")).toHaveLength(1);
});

test("what lacks a kind while it runs is told once, and the status is not written again and again", async () => {
  const event = new Event({});
  event.start("a");
  await event.controller.settle();
  event.controller = new ModelController(event.cluster, makeSettings());
  event.controller.kinds.delete("HTTPRoute");
  await event.controller.settle();
  expect(findCondition(event.status("a").conditions, "RoutesCreated")).toMatchObject({ reason: "KindMissing" });
  const { length } = event.cluster.changes;
  await event.controller.settle(600_000);
  expect(event.cluster.changes.slice(length).map(({ object }: { object: KubeObject }) => object.kind)).toEqual([]);
});

test("what runs and whose kind is taken from the cluster goes on, says so once, and is whole again when it is back", async () => {
  const event = new Event({});
  event.start("a");
  await event.controller.settle();
  const { cluster, controller } = event;
  for (const { metadata } of cluster.all("HTTPRoute")) {
    cluster.delete("hand", HTTPRoutes, `${metadata.namespace}/${metadata.name}`);
  }
  const message = "the server could not find the requested resource";
  controller.client.beforeWrite = ({ kind }) => {
    if (kind === HTTPRoutes.kind) throw refusal(404, { reason: "NotFound", message });
  };
  const { length } = cluster.changes;
  await controller.settle(20_000, 40);
  expect(cluster.changes.slice(length).map(({ object }) => object.kind)).toEqual(["ChallengeInstance"]);
  expect(event.status("a").phase).toBe("Running");
  expect(findCondition(event.status("a").conditions, "RoutesCreated")).toMatchObject({ reason: "KindMissing" });

  controller.client.beforeWrite = () => {};
  await controller.settle(20_000);
  expect(findCondition(event.status("a").conditions, "RoutesCreated")).toMatchObject({ status: "True" });
});
