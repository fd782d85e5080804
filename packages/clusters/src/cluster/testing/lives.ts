/** What becomes of Clusters, and each write on the way at which an operator can be killed. */
import type { Stored } from "@berg/apimachinery";
import { type Clock, systemClock } from "@berg/kube";
import { type Cluster, type ClusterSpec, KubeconfigRequests } from "@berg/resources";
import { failing } from "../../../../../test/gardener/gardenlet/course.ts";
import { annotations } from "../../vocabulary.ts";
import type { Step } from "../step.ts";
import { type Kill, userOf } from "./kills.ts";
import { named, oidcConfig, signInOf } from "./told.ts";
import { namespace, type World } from "./world.ts";

export interface Life {
  readonly kills: readonly Kill[];
  /** How many Shoots are made for it, ever. */
  readonly shoots: 0 | 1;
  /** Begun and waited for under an operator that nobody kills. */
  readonly before?: Part;
  readonly begin?: Part["begin"];
  isOver(world: World, name: string): Promise<boolean>;
  /** Of the operator that is killed, and of the one after it. */
  readonly clock?: Clock;
}

interface Part {
  begin(world: World, name: string): Promise<unknown>;
  isOver(world: World, name: string): Promise<boolean>;
}

const both = (at: string, time = 1): Kill[] => [
  { at, time, stage: "before" },
  { at, time, stage: "after" },
];

const whole = (name: string): Partial<ClusterSpec> => ({
  ...named(name),
  oidcConfig,
  administrators: [userOf(name, 1), userOf(name, 2)],
});
const byoc = { kubeconfigSecretRef: { name: "secret", key: "kubeconfig" } };
const bring = (world: World, name: string) =>
  world.create(name, { byoc, administrators: [userOf(name, 1), userOf(name, 2)] });

const isMade = async (world: World, name: string): Promise<boolean> => {
  const { status } = (await world.get(name)) ?? {};
  return status?.phase === "Ready" && status.administrators?.length === 2;
};
const isGone = async (world: World, name: string): Promise<boolean> => !(await world.get(name));
const remove = (world: World, name: string) => world.remove(name);

const made: Part = { begin: (world, name) => world.create(name, whole(name), { numberOfZones: 2 }), isOver: isMade };

/** Gardener is asked again five minutes after it gave up. */
const later: Clock = { ...systemClock, now: () => systemClock.now() + 6 * 60_000 };
const passing = "ERR_INFRA_RATE_LIMITS_EXCEEDED";

export const lives = {
  made: {
    ...made,
    shoots: 1,
    kills: [
      ...both("patch clusters"),
      ...both("create subscriptionrequests"),
      ...both("update clusters/status", 1),
      ...both("update clusters/status", 2),
      ...both("update clusters/status", 3),
      ...both("create configmaps"),
      ...both("create shoots"),
      ...both("create clusterrolebindings", 1),
      ...both("create clusterrolebindings", 2),
    ],
  },
  /** The first status has the zone that comes on top. */
  changed: {
    shoots: 1,
    before: made,
    begin: (world, name) =>
      world.edit(name, ({ spec }) => {
        spec.administrators = [userOf(name, 2), userOf(name, 3)];
        if (spec.infrastructure) Object.assign(spec.infrastructure, { autoScalerMax: 9, numberOfZones: 3 });
        if (spec.oidcConfig) spec.oidcConfig.clientID = "another";
      }),
    isOver: async (world, name) =>
      (await isMade(world, name)) && (await world.get(name))?.status?.administrators?.[1] === userOf(name, 3),
    kills: [
      ...both("update configmaps"),
      ...both("update shoots"),
      ...both("delete clusterrolebindings"),
      ...both("create clusterrolebindings"),
      ...both("update clusters/status", 1),
      ...both("update clusters/status", 2),
      ...both("update clusters/status", 3),
      ...both("update clusters/status", 4),
    ],
  },
  /** First the Shoot, then what it no longer refers to, then the note of it on the Shoot. */
  signedout: {
    shoots: 1,
    before: made,
    begin: (world, name) =>
      world.edit(name, ({ spec }) => {
        delete spec.oidcConfig;
      }),
    isOver: async (world, name) =>
      (await isMade(world, name)) &&
      (await signInOf(world, name)) === undefined &&
      (await world.shootOf(name))?.metadata.annotations?.[annotations.authenticationDigest] === undefined &&
      (await world.conditionOf(name, "OIDCConfigured")) === "False/NotConfigured",
    kills: [
      ...both("update shoots", 1),
      ...both("delete configmaps"),
      ...both("update shoots", 2),
      ...both("update clusters/status", 1),
    ],
  },
  retried: {
    shoots: 1,
    before: {
      begin(world, name) {
        world.gardenlet.script(name, { Create: failing("Create", [passing]) });
        return world.create(name, named(name));
      },
      async isOver(world, name) {
        const isGivenUp = (await world.conditionOf(name, "ClusterHealthy")) === `False/${passing}`;
        if (isGivenUp) world.gardenlet.script(name, {});
        return isGivenUp;
      },
    },
    clock: later,
    isOver: async (world, name) => (await world.phaseOf(name)) === "Ready",
    kills: [...both("patch shoots"), ...both("update shoots"), ...both("update clusters/status", 1)],
  },
  /** With a kubeconfig that is revoked first. */
  deleted: {
    shoots: 1,
    before: {
      async begin(world, name) {
        await made.begin(world, name);
        const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
        const spec = { cluster: name, clusterRole: { rules }, expiration: 3600, output: "Secret" } as const;
        await world.client.create(KubeconfigRequests, { metadata: { name, namespace }, spec } as never);
        await sayAccount(world, name, "kyma-kubeconfig-access/kc-1");
      },
      isOver: isMade,
    },
    begin: remove,
    isOver: isGone,
    kills: [
      ...both("patch clusters", 1),
      ...both("update clusters/status", 1),
      ...both("patch shoots"),
      ...both("delete shoots"),
      ...both("delete configmaps"),
      ...both("delete subscriptionrequests"),
      ...both("patch clusters", 2),
    ],
  },
  retained: {
    shoots: 1,
    before: {
      begin: (world, name) => world.create(name, { ...whole(name), deletionPolicy: "Retain" }),
      isOver: isMade,
    },
    begin: remove,
    isOver: isGone,
    kills: [
      ...both("patch shoots"),
      ...both("delete subscriptionrequests"),
      ...both("update clusters/status", 1),
      ...both("patch clusters"),
    ],
  },
  brought: {
    shoots: 0,
    begin: bring,
    isOver: isMade,
    kills: [
      ...both("patch clusters"),
      ...both("update clusters/status", 1),
      ...both("create clusterrolebindings", 1),
      ...both("create clusterrolebindings", 2),
      ...both("update clusters/status", 2),
    ],
  },
  left: {
    shoots: 0,
    before: { begin: bring, isOver: isMade },
    begin: remove,
    isOver: isGone,
    kills: [
      ...both("delete clusterrolebindings", 1),
      ...both("delete clusterrolebindings", 2),
      ...both("update clusters/status", 1),
      ...both("patch clusters"),
    ],
  },
} satisfies Record<string, Life>;

interface TakenBack {
  readonly before: Part;
  edit(cluster: Stored<Cluster>, name: string): void;
  readonly kills: readonly Kill[];
}

/** Edits that somebody takes back after their operator was killed at one of these writes. */
export const takenBack: Record<string, TakenBack> = {
  changed: {
    before: made,
    edit({ spec }, name) {
      spec.administrators = [userOf(name, 2), userOf(name, 3)];
      if (spec.oidcConfig) spec.oidcConfig.clientID = "another";
    },
    kills: [
      ...both("update configmaps"),
      ...both("update shoots"),
      ...both("delete clusterrolebindings"),
      ...both("create clusterrolebindings"),
      ...both("update clusters/status", 1),
      ...both("update clusters/status", 2),
      ...both("update clusters/status", 3),
    ],
  },
  signedout: {
    before: made,
    edit({ spec }) {
      delete spec.oidcConfig;
    },
    kills: [
      ...both("update shoots", 1),
      ...both("delete configmaps"),
      ...both("update shoots", 2),
      ...both("update clusters/status", 1),
    ],
  },
};

/** In which life the write of a step comes up, so that no step is added without one. */
export const writeOf: Record<Step["do"], readonly [life: keyof typeof lives, at: string] | "none"> = {
  hold: ["made", "patch clusters"],
  requestSubscription: ["made", "create subscriptionrequests"],
  findShoot: "none",
  writeAuthentication: ["made", "create configmaps"],
  createShoot: ["made", "create shoots"],
  changeShoot: ["changed", "update shoots"],
  retryShoot: ["retried", "patch shoots"],
  setAdministrators: ["made", "create clusterrolebindings"],
  reach: "none",
  revokeAccess: ["deleted", "patch clusters"],
  leaveAccess: "none",
  confirmDeletion: ["deleted", "patch shoots"],
  deleteShoot: ["deleted", "delete shoots"],
  leaveShoot: ["retained", "patch shoots"],
  removeAuthentication: ["deleted", "delete configmaps"],
  releaseSubscription: ["deleted", "delete subscriptionrequests"],
  letGo: ["left", "patch clusters"],
};

/** As the operator of kubeconfigs says it; null when all that was given is taken away. */
export async function sayAccount({ client }: World, name: string, serviceAccount: string | null): Promise<void> {
  const body = { status: { phase: serviceAccount === null ? "Revoked" : "Issued", serviceAccount } };
  await client.patch(KubeconfigRequests, namespace, name, { type: "merge", body }, { subresource: "status" });
}
