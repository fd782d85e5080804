/** Instances, Challenges and settings for tests: a small valid one by default, and whatever a test adds to it. */
import { formatTime, parseDuration, type Stored } from "@berg/apimachinery";
import type {
  Challenge,
  ChallengeContainer,
  ChallengeInstance,
  ChallengeInstanceSpec,
  ChallengeInstanceStatus,
} from "@berg/resources";
import { annotations, finalizers, group, version } from "@berg/resources";
import { buildSettings, containerOf, ownerId } from "../builders/testing/blueprints.ts";
import { defaultCapabilities } from "../settings/capabilities.ts";
import type { BuildSettings, Settings } from "../settings/settings.ts";
import type { ConditionType, Reason } from "../vocabulary.ts";

export const startOfTest = Date.parse("2026-10-01T12:00:00Z");
export const home = "berg";

export function makeSettings(
  more: Partial<Omit<Settings, "build">> & { build?: Partial<BuildSettings> } = {},
): Settings {
  return {
    challengeNamespace: home,
    maxInstances: 0,
    capabilities: defaultCapabilities,
    expiry: { timeout: parseDuration("2h"), maxRenewals: 3, warning: parseDuration("5m") },
    ...more,
    build: { ...buildSettings, ...more.build },
  };
}

/** Two containers: one is reached through a route, the other at the nodes. */
export const usualContainers: ChallengeContainer[] = [
  containerOf("web", [{ port: 8080, name: "web", type: "publicHttpRoute" }]),
  containerOf("game", [{ port: 1337, name: "game", type: "publicPort" }]),
];

export function makeChallenge(spec: Partial<Challenge["spec"]> = {}, name = "cookie-jar"): Stored<Challenge> {
  return {
    apiVersion: `${group}/${version}`,
    kind: "Challenge",
    metadata: {
      namespace: home,
      name,
      uid: `uid-of-${name}`,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: formatTime(startOfTest),
    },
    spec: {
      owners: [],
      flags: [],
      dynamicFlagMode: "suffix",
      prerequisites: [],
      hints: [],
      categories: [],
      tags: [],
      attachments: [],
      allowOutboundTraffic: false,
      containers: [containerOf("web", [{ port: 80 }])],
      ...spec,
    },
  };
}

/**
 * A ChallengeInstance, step by step:
 *
 *     makeInstance().held().inPhase("Running").withCondition("NamespaceCreated", "True", "Created").object
 */
export class InstanceBuilder {
  readonly object: Stored<ChallengeInstance>;

  constructor(object: Stored<ChallengeInstance>) {
    this.object = object;
  }

  #with(metadata: object, spec: object = {}, status?: ChallengeInstanceStatus): InstanceBuilder {
    const { object } = this;
    return new InstanceBuilder({
      ...object,
      metadata: { ...object.metadata, ...metadata },
      spec: { ...object.spec, ...spec },
      ...((status ?? object.status) && { status: { ...object.status, ...status } }),
    });
  }

  named(name: string, uid = `uid-of-${name}`): InstanceBuilder {
    return this.#with({ name, uid });
  }

  createdAt(ms: number): InstanceBuilder {
    return this.#with({ creationTimestamp: formatTime(ms) });
  }

  /** By our finalizer, and those of others. */
  held(...others: string[]): InstanceBuilder {
    return this.#with({ finalizers: [finalizers.controller, ...others] });
  }

  deletedAt(ms: number): InstanceBuilder {
    const { generation = 1 } = this.object.metadata;
    return this.#with({ deletionTimestamp: formatTime(ms), generation: generation + 1 });
  }

  wishingFor(instanceId: string): InstanceBuilder {
    return this.#with({ annotations: { [annotations.instanceId]: instanceId } });
  }

  withSpec(spec: Partial<ChallengeInstanceSpec>): InstanceBuilder {
    return this.#with({}, spec);
  }

  withStatus(status: ChallengeInstanceStatus): InstanceBuilder {
    return this.#with({}, {}, status);
  }

  /** As every instance is that was looked at once. */
  identified(expiresAt: number | undefined = startOfTest + 7_200_000): InstanceBuilder {
    return this.withStatus({
      observedGeneration: this.object.metadata.generation ?? 1,
      instanceId: "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d",
      startedAt: formatTime(startOfTest),
      renewals: 0,
      expiresSoon: false,
      ...(expiresAt !== undefined && { expiresAt: formatTime(expiresAt) }),
      history: [],
    });
  }

  inPhase(phase: NonNullable<ChallengeInstanceStatus["phase"]>, reason?: Reason, message?: string): InstanceBuilder {
    return this.withStatus({ phase, ...(reason && { reason }), ...(message && { message }) });
  }

  withCondition(type: ConditionType, status: "True" | "False" | "Unknown", reason: Reason, at = startOfTest) {
    const condition = { type, status, reason, message: "", lastTransitionTime: formatTime(at) };
    const others = this.object.status?.conditions?.filter((one) => one.type !== type) ?? [];
    return this.withStatus({ conditions: [...others, condition] });
  }
}

export function makeInstance(name = "jar-of-ann", owner = ownerId): InstanceBuilder {
  return new InstanceBuilder({
    apiVersion: `${group}/${version}`,
    kind: "ChallengeInstance",
    metadata: {
      namespace: home,
      name,
      uid: `uid-of-${name}`,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: formatTime(startOfTest),
    },
    spec: { challengeRef: { name: "cookie-jar" }, ownerId: owner, renewals: 0, restarts: 0 },
  });
}
