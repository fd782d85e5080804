import type { Stored } from "@berg/apimachinery";
import type { Cluster, ClusterStatus } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CloudProfile, Shoot, ShootStatus } from "../../gardener/kinds.ts";
import { annotations, finalizers, gardener } from "../../vocabulary.ts";
import type { Facts, Seen } from "../seen.ts";
import { makeCluster, makeShoot } from "../testing/make-objects.ts";
import { decide } from "./decide.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const time = "2026-01-01T12:00:00Z";
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString().replace(".000", "");

const profile: CloudProfile = {
  apiVersion: "core.gardener.cloud/v1beta1",
  kind: "CloudProfile",
  metadata: { name: "aws" },
  spec: {
    type: "aws",
    regions: [{ name: "eu-central-1", zones: ["a", "b", "c"].map((zone) => ({ name: `eu-central-1${zone}` })) }],
    kubernetes: { versions: [] },
  },
};

function subscriptionOf(cluster: Stored<Cluster>): NonNullable<Seen["subscription"]> {
  const { uid, name } = cluster.metadata;
  const binding = { apiVersion: "v1alpha1", kind: "CredentialsBinding", name: "account-1", uid: "b" } as const;
  return {
    apiVersion: "control-plane.kyma-project.io/v1alpha1",
    kind: "SubscriptionRequest",
    metadata: {
      name,
      uid: "s",
      resourceVersion: "1",
      creationTimestamp: time,
      ownerReferences: [{ apiVersion: cluster.apiVersion, kind: "Cluster", name, uid }],
    },
    spec: { provider: "aws", subscriptionSelector: "shared" },
    status: { phase: "Bound", binding },
  };
}

function look(cluster: Stored<Cluster>, more: Partial<Seen> = {}): Seen {
  return {
    cluster,
    isHeld: true,
    away: undefined,
    shootName: "c-abcdefgh",
    shoot: undefined,
    subscription: subscriptionOf(cluster),
    project: "berg",
    profiles: [profile],
    hasOpenAccess: false,
    isAnswered: false,
    facts: {},
    now,
    time,
    ...more,
  };
}

function going(cluster: Stored<Cluster>, minutes = 1): Stored<Cluster> {
  return {
    ...cluster,
    metadata: { ...cluster.metadata, deletionTimestamp: ago(minutes), finalizers: [finalizers.cluster] },
  };
}

const zones = ["eu-central-1a", "eu-central-1b", "eu-central-1c"];
const done: ShootStatus = {
  observedGeneration: 1,
  lastOperation: { type: "Create", state: "Succeeded", progress: 100, description: "", lastUpdateTime: time },
};

test("no Shoot is made on an account whose request somebody deletes, though it still says Bound", () => {
  const cluster = makeCluster({ status: { zones } });
  const subscription = subscriptionOf(cluster);
  const facts: Facts = { shootIsGone: true };
  expect(decide(look(cluster, { subscription, facts })).step?.do).toBe("createShoot");
  const goes = { ...subscription, metadata: { ...subscription.metadata, deletionTimestamp: time } };
  const { step, status } = decide(look(cluster, { subscription: goes, facts }));
  expect(step).toBeUndefined();
  expect(status.conditions).toContainEqual(expect.objectContaining({ type: "SubscriptionReady", status: "False" }));
});

describe("a Cluster that goes", () => {
  const cluster = makeCluster({ status: { zones } });
  const confirmed = makeShoot(cluster, done);
  confirmed.metadata.annotations = { ...confirmed.metadata.annotations, [gardener.confirmDeletion]: "true" };

  test("has its kubeconfigs revoked first, for five minutes at most", () => {
    const shoot = makeShoot(cluster, done);
    expect(decide(look(going(cluster), { shoot, hasOpenAccess: true })).step).toEqual({ do: "revokeAccess" });
    const asked = makeCluster({ status: { zones }, annotations: { [annotations.revokeAll]: "true" } });
    const waits = decide(look(going(asked), { shoot, hasOpenAccess: true }));
    expect([waits.step, waits.lookAt]).toEqual([undefined, now + 4 * 60_000]);
    expect(decide(look(going(asked, 5), { shoot, hasOpenAccess: true })).step?.do).toBe("confirmDeletion");
    expect(decide(look(going(asked), { shoot })).step?.do).toBe("confirmDeletion");
  });

  test("is confirmed before it is deleted", () => {
    expect(decide(look(going(cluster), { shoot: makeShoot(cluster, done) })).step?.do).toBe("confirmDeletion");
    expect(decide(look(going(cluster), { shoot: confirmed })).step?.do).toBe("deleteShoot");
  });

  test("asks the garden itself before it takes its Shoot for gone, and cleans up in order", () => {
    const order: string[] = [];
    let seen = look(going(cluster));
    for (let round = 0; round < 8; round++) {
      const { step, status, goesOn } = decide(seen);
      order.push(step?.do ?? (goesOn ? "say so" : "wait"));
      const facts: Facts = { ...seen.facts };
      if (step?.do === "findShoot") facts.shootIsGone = true;
      if (step?.do === "removeAuthentication") facts.authenticationIsGone = true;
      seen = { ...seen, facts, cluster: step ? seen.cluster : { ...seen.cluster, status } };
      if (step?.do === "releaseSubscription") seen = { ...seen, subscription: undefined };
      if (step?.do === "letGo") break;
    }
    expect(order).toEqual(["findShoot", "removeAuthentication", "releaseSubscription", "say so", "letGo"]);
  });

  test("with Gardener away waits", () => {
    const away = { reason: "GardenerUnreachable", message: "away", again: true } as const;
    const { step, status } = decide(look(going(cluster), { away }));
    expect([step, status.conditions?.[0]?.reason]).toEqual([undefined, "GardenerUnreachable"]);
  });

  test("before our finalizer was on it, is nobody's business", () => {
    expect(decide(look(going(makeCluster()), { isHeld: false }))).toEqual({ status: {} });
  });
});

describe("whatever is seen", () => {
  const operation = fc.record({
    type: fc.constantFrom("Create", "Reconcile", "Delete" as const),
    state: fc.constantFrom("Processing", "Succeeded", "Error", "Failed", "Pending", "Aborted" as const),
  });
  const anything = fc.record({
    goes: fc.boolean(),
    isHeld: fc.boolean(),
    known: fc.constantFrom(undefined, "shoot-uid", "another-uid"),
    marked: fc.constantFrom("ours", "theirs", "nobody's"),
    shootIsThere: fc.boolean(),
    shootGoes: fc.boolean(),
    isConfirmed: fc.boolean(),
    operation: fc.option(operation, { nil: undefined }),
    recreate: fc.constantFrom(undefined, "shoot-uid", "another-uid", "rubbish"),
    suspended: fc.boolean(),
    retain: fc.boolean(),
    hasOpenAccess: fc.boolean(),
    hasAccount: fc.boolean(),
    hasZones: fc.boolean(),
    shootIsGone: fc.boolean(),
    administrators: fc.constantFrom<string[]>([], ["a@x"]),
  });
  type Anything = typeof anything extends fc.Arbitrary<infer T> ? T : never;

  function seenOf(given: Anything): Seen {
    const status: ClusterStatus = {
      ...(given.hasZones && { zones }),
      ...(given.known !== undefined && { shootRef: { name: "c-abcdefgh", uid: given.known } }),
    };
    const notes = {
      ...(given.recreate !== undefined && { [annotations.recreateShoot]: given.recreate }),
      ...(given.suspended && { [annotations.suspend]: "true" }),
    };
    const spec = {
      deletionPolicy: given.retain ? ("Retain" as const) : ("Delete" as const),
      administrators: given.administrators,
    };
    const made = makeCluster({ annotations: notes, status, spec });
    const cluster = given.goes ? going(made) : made;
    const progress = { progress: 40, description: "", lastUpdateTime: ago(200) };
    const shoot = makeShoot(made, {
      observedGeneration: 1,
      ...(given.operation && { lastOperation: { ...given.operation, ...progress } }),
    });
    const marks = { ours: made.metadata.uid, theirs: "their-uid" }[given.marked as "ours" | "theirs"];
    shoot.metadata.annotations = {
      ...(marks !== undefined && { ...shoot.metadata.annotations, [annotations.clusterUid]: marks }),
      ...(given.isConfirmed && { [gardener.confirmDeletion]: "true" }),
    };
    if (given.shootGoes) shoot.metadata.deletionTimestamp = time;
    return look(cluster, {
      isHeld: given.isHeld,
      shoot: given.shootIsThere ? shoot : undefined,
      hasOpenAccess: given.hasOpenAccess,
      subscription: given.hasAccount ? subscriptionOf(made) : undefined,
      facts: given.shootIsGone ? { shootIsGone: true, authenticationIsGone: true } : {},
    });
  }

  /** `holds` returns false where it had nothing to say, which must not be always. */
  function forEach(holds: (given: Anything, seen: Seen) => boolean): void {
    let times = 0;
    const property = fc.property(anything, (given) => {
      if (holds(given, seenOf(given))) times++;
    });
    fc.assert(property, { numRuns: 3000 });
    expect(times).toBeGreaterThan(0);
  }
  const writesToShoot = new Set(["changeShoot", "retryShoot", "confirmDeletion", "deleteShoot", "leaveShoot"]);

  test("a Shoot is deleted only for a Cluster that goes, which it carries the UID of", () => {
    forEach((given, seen) => {
      const { step } = decide(seen);
      if (step?.do !== "deleteShoot" && step?.do !== "confirmDeletion") return false;
      expect(given).toMatchObject({ goes: true, isHeld: true, marked: "ours", retain: false });
      return true;
    });
  });

  test("a Shoot that is not ours, or of a suspended Cluster, is not written to", () => {
    forEach((given, seen) => {
      const { step } = decide(seen);
      if (!step || !writesToShoot.has(step.do)) return false;
      expect(given).toMatchObject({ marked: "ours", suspended: false, shootIsThere: true });
      expect((step as { shoot: Stored<Shoot> }).shoot).toBe(seen.shoot);
      return true;
    });
  });

  test("a Shoot is made where none is, none was, or the one that was is given up by name; never for a Cluster that goes", () => {
    forEach((given, seen) => {
      if (decide(seen).step?.do !== "createShoot") return false;
      expect(given).toMatchObject({
        goes: false,
        isHeld: true,
        shootIsThere: false,
        shootIsGone: true,
        hasZones: true,
      });
      if (given.known !== undefined) expect(given.recreate).toBe(given.known);
      return true;
    });
  });

  test("nothing is made before our finalizer is there, and it goes only when no Shoot of ours is left", () => {
    forEach((given, seen) => {
      const { step } = decide(seen);
      if (!given.isHeld) expect([undefined, "hold"]).toContain(step?.do);
      const { goesOn, status } = decide(seen);
      const ends = goesOn === true && status.phase === "Deleting";
      if (!ends) return false;
      expect(given.goes).toBe(true);
      if (given.shootIsThere && given.marked === "ours") expect(given.known).not.toBe("shoot-uid");
      return true;
    });
  });

  test("a status that says the same is the same: times move only with what they are of", () => {
    forEach((_, seen) => {
      const first = decide(seen);
      if (first.step || first.goesOn) return false;
      const later = { ...seen, cluster: { ...seen.cluster, status: first.status }, time: "2026-01-01T13:00:00Z" };
      expect(decide(later).status).toEqual(first.status);
      return true;
    });
  });
});
