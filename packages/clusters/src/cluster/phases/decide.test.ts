import type { Stored } from "@berg/apimachinery";
import type { Cluster, ClusterInfrastructure, ClusterSpec, ClusterStatus } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Shoot } from "../../gardener/kinds.ts";
import { annotations, finalizers, gardener } from "../../vocabulary.ts";
import type { ClusterCondition } from "../draft.ts";
import { type Authentication, authenticationOf } from "../oidc/authentication.ts";
import type { Facts, Seen } from "../seen.ts";
import { renderShoot } from "../shoot/render.ts";
import type { Decision } from "../step.ts";
import { account, makeCluster, makeShoot, wantedOf } from "../testing/make-objects.ts";
import { conditionOf, done, look, now, subscriptionOf, time, zones } from "../testing/make-seen.ts";
import { decide } from "./decide.ts";

const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString().replace(".000", "");

function going(cluster: Stored<Cluster>, minutes = 1): Stored<Cluster> {
  return {
    ...cluster,
    metadata: { ...cluster.metadata, deletionTimestamp: ago(minutes), finalizers: [finalizers.cluster] },
  };
}

/** What comes when the status is stored that is decided on first. */
function afterStoring(seen: Seen): Decision {
  const { step, goesOn, status } = decide(seen);
  expect([step, goesOn]).toEqual([undefined, true]);
  return decide({ ...seen, cluster: { ...seen.cluster, status } });
}

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

describe("zones that were stored", () => {
  const [a, b, c] = zones as [string, string, string];
  const facts: Facts = { shootIsGone: true };
  const after = (infrastructure: Partial<ClusterInfrastructure>, status: ClusterStatus) =>
    decide(look(makeCluster({ infrastructure, status }), { facts }));
  interface Row {
    what: string;
    infrastructure: Partial<ClusterInfrastructure>;
    stored: string[];
    /** Or how many of those that are offered. */
    next: string[] | 1;
  }

  test.each<Row>([
    { what: "others are named", infrastructure: { numberOfZones: 2, zones: [b, c] }, stored: [a, b], next: [b, c] },
    {
      what: "another order is named",
      infrastructure: { numberOfZones: 2, zones: [b, a] },
      stored: [a, b],
      next: [b, a],
    },
    { what: "fewer are asked for", infrastructure: { numberOfZones: 1 }, stored: [c, b], next: [c] },
    { what: "they are not offered any more", infrastructure: { numberOfZones: 1 }, stored: ["x"], next: 1 },
  ])("before there is a Shoot are chosen anew where $what", ({ infrastructure, stored, next }) => {
    const first = after(infrastructure, { zones: stored });
    expect([first.step, first.goesOn]).toEqual([undefined, true]);
    if (typeof next === "number") expect(zones).toContain(first.status.zones?.[0]);
    else expect(first.status.zones).toEqual(next);
    const then = after(infrastructure, first.status);
    expect([then.step?.do, then.status.zones]).toEqual(["createShoot", first.status.zones]);
  });

  test("stay where the spec leaves the choice, whatever is offered beside them", () => {
    for (const stored of [
      [c, a],
      [b, c],
    ]) {
      const { step, status } = after({ numberOfZones: 2 }, { zones: stored });
      expect([step?.do, status.zones]).toEqual(["createShoot", stored]);
    }
  });

  test("stay where there was a Shoot, which is made anew", () => {
    const shootRef = { name: "c-abcdefgh", uid: "old" };
    const cluster = makeCluster({
      infrastructure: { numberOfZones: 1 },
      status: { zones: [c, a], shootRef },
      annotations: { [annotations.recreateShoot]: "old" },
    });
    const { step, status } = decide(look(cluster, { facts }));
    expect([step?.do, status.zones]).toEqual(["createShoot", [c, a]]);
  });

  test("give way to those of the Shoot, where it was made and nobody could say so", () => {
    const cluster = makeCluster({ infrastructure: { numberOfZones: 2, zones: [b, c] }, status: { zones: [b, c] } });
    const shoot = makeShoot(cluster, done, renderShoot(wantedOf(cluster, [a, b]), account));
    const { status } = decide(look(cluster, { shoot }));
    expect([status.zones, status.shootRef?.uid]).toEqual([[a, b], "shoot-uid"]);
    const later = { ...cluster, status: { ...status, zones: [a, b] } };
    expect(decide(look(later, { shoot })).status.zones).toEqual([a, b]);
  });
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

  test.each([
    {
      what: "one that stays",
      spec: { deletionPolicy: "Retain" as const },
      shoot: makeShoot(cluster, done),
      next: "leaveShoot",
    },
    {
      what: "one that was brought along",
      spec: { byoc: { kubeconfigSecretRef: { name: "s", key: "k" } }, administrators: ["a@x"] },
      shoot: undefined,
      next: "setAdministrators",
    },
  ])("for $what, has its kubeconfigs revoked for an hour at most, and tells who was left", ({ spec, shoot, next }) => {
    const asked = makeCluster({ status: { zones }, spec, annotations: { [annotations.revokeAll]: "true" } });
    const open = { shoot, hasOpenAccess: true };
    const fresh = makeCluster({ status: { zones }, spec });
    expect(decide(look(going(fresh), open)).step).toEqual({ do: "revokeAccess" });
    const waits = decide(look(going(asked, 59), open));
    expect([waits.step, waits.lookAt]).toEqual([undefined, now + 60_000]);
    expect(decide(look(going(asked, 60), open)).step).toEqual({ do: "leaveAccess" });
    expect(decide(look(going(asked, 60), { ...open, facts: { accessIsLeft: true } })).step?.do).toBe(next);
    expect(decide(look(going(asked), { shoot })).step?.do).toBe(next);
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

describe("a Shoot that somebody has taken our annotations off", () => {
  const cluster = makeCluster({ status: { zones, shootRef: { name: "c-abcdefgh", uid: "shoot-uid" } } });
  const shoot = makeShoot(cluster, done);
  shoot.metadata.annotations = {};

  test("is left alone, and it is said how to go on", () => {
    const { step, status } = decide(look(cluster, { shoot }));
    expect(step).toBeUndefined();
    const said = status.conditions?.find(({ type }) => type === "ClusterProvisioned");
    expect(said).toMatchObject({ status: "False", reason: "ShootUnmarked" });
    expect(said?.message).toContain(`cluster-uid=${cluster.metadata.uid}`);
  });

  test("stays with what it needs to sign in when its Cluster goes, and is not said to be gone", () => {
    const { step, status, goesOn } = decide(look(going(cluster), { shoot, subscription: undefined }));
    expect([step, goesOn]).toEqual([undefined, true]);
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: "Deprovisioned", status: "True", reason: "ShootLeft" }),
    );
  });

  test("is somebody else's where it names another Cluster", () => {
    shoot.metadata.annotations = { [annotations.clusterUid]: "their-uid" };
    const { status } = decide(look(cluster, { shoot }));
    expect(status.conditions).toContainEqual(expect.objectContaining({ reason: "NameConflict" }));
    shoot.metadata.annotations = {};
  });
});

describe("a cluster that was brought along", () => {
  const byoc = { kubeconfigSecretRef: { name: "s", key: "k" } };
  const status = { phase: "Ready", apiServerURL: "https://one", certificateAuthorityHash: "ca" } as const;
  const cluster = makeCluster({
    spec: { byoc, administrators: ["a@x"] },
    status: { ...status, administrators: ["a@x"], provisioningCompletedAt: time },
  });
  const found = { status: "True", reason: "Reachable", message: "", isFinal: false, generation: 1 } as const;
  const reached = { ...found, authorityHash: "ca" };
  const at = (server: string, until: number): Facts => ({ reached: { ...reached, server, until } });

  test("is tried again at once when its Secret changes, and when that can be seen or no longer be seen", () => {
    const facts = { reached: { ...reached, server: "https://one", until: 1, secret: "a" } };
    const next = (secret: string | undefined) => decide(look(cluster, { facts, secret })).step?.do;
    expect([next("a"), next("b"), next(undefined)]).toEqual([undefined, "reach", "reach"]);
    expect(decide(look(cluster, { facts: at("https://one", 1), secret: "a" })).step?.do).toBe("reach");
  });

  test("gets its administrators anew where its Secret leads to another server", () => {
    expect(decide(look(cluster, { facts: at("https://one", 1) })).step).toBeUndefined();
    const { step, status } = afterStoring(look(cluster, { facts: at("https://other", 1) }));
    expect(step).toEqual({ do: "setAdministrators", administrators: ["a@x"] });
    // Where they cannot be set, too: the old ones are not those of this server.
    expect([status.apiServerURL, status.administrators]).toEqual(["https://other", undefined]);
    const told = decide(look(cluster, { facts: { ...at("https://other", 1), administrators: ["a@x"] } }));
    expect([told.step, told.status.administrators]).toEqual([undefined, ["a@x"]]);
  });

  test("gets them anew, too, where another certificate authority answers at the same address", () => {
    const facts = { reached: { ...reached, server: "https://one", authorityHash: "another", until: 1 } };
    const { step, status } = afterStoring(look(cluster, { facts }));
    expect(step).toEqual({ do: "setAdministrators", administrators: ["a@x"] });
    expect([status.certificateAuthorityHash, status.administrators]).toEqual(["another", undefined]);
  });

  test("is tried again when that is due, though somebody has set the clock back", () => {
    const rests = decide(look(cluster, { facts: at("https://one", 6_000), monotonic: 1_000 }));
    expect([rests.step, rests.lookAt]).toEqual([undefined, now + 5_000]);
    const back = look(cluster, { facts: at("https://one", 6_000), monotonic: 6_000, now: now - 86_400_000 });
    expect(decide(back).step).toEqual({ do: "reach" });
  });
});

describe("a Shoot that Gardener has made", () => {
  const cluster = makeCluster({ spec: { administrators: ["a@x"] }, status: { zones, phase: "Provisioning" } });
  const told = (status: ClusterStatus, type: string) => {
    const found = status.conditions?.find((one) => one.type === type);
    return `${found?.status}/${found?.reason}: ${found?.message}`;
  };

  test.each([
    { health: "False", says: "False/Unhealthy" },
    { health: "Unknown", says: "False/Provisioning" },
    { health: "Progressing", says: "False/Provisioning" },
  ])("and whose nodes are $health is not ready yet, and says why", ({ health, says }) => {
    const shoot = makeShoot(cluster, { ...done, conditions: [conditionOf("True"), conditionOf(health)] });
    const { step, status } = decide(look(cluster, { shoot }));
    expect([step, status.phase, status.provisioningCompletedAt]).toEqual([undefined, "Provisioning", undefined]);
    expect(told(status, "ClusterProvisioned")).toMatch(new RegExp(`^${says}: Gardener has made .*EveryNodeReady`));
    expect(told(status, "AdministratorsConfigured")).toMatch(
      "False/WaitingForCluster: Waits until the cluster is ready",
    );
  });

  test("is ready when all of it is well, and its administrators come next", () => {
    const shoot = makeShoot(cluster, done);
    const first = decide(look(cluster, { shoot }));
    expect([first.goesOn, first.status.phase, first.status.provisioningCompletedAt]).toEqual([true, "Ready", time]);
    expect(told(first.status, "ClusterProvisioned")).toBe("True/Provisioned: The cluster is there");
    expect(told(first.status, "AdministratorsConfigured")).toBe(
      "False/Configuring: The administrators are about to be set",
    );
    const next = decide(look({ ...cluster, status: first.status }, { shoot }));
    expect(next.step).toEqual({ do: "setAdministrators", administrators: ["a@x"] });
  });

  test("is made, too, when part of it has been unwell for long: somebody has to get in", () => {
    const shoot = makeShoot(cluster, { ...done, conditions: [conditionOf("False", ago(5))] });
    const { status } = decide(look(cluster, { shoot }));
    expect([status.phase, status.provisioningCompletedAt]).toEqual(["Degraded", time]);
    const next = decide(look({ ...cluster, status }, { shoot }));
    expect(next.step).toEqual({ do: "setAdministrators", administrators: ["a@x"] });
  });

  test("stays ready when it is unwell later", () => {
    const ready = makeCluster({ status: { zones, phase: "Ready", provisioningCompletedAt: ago(60) } });
    const shoot = makeShoot(ready, { ...done, conditions: [conditionOf("False", ago(4))] });
    expect(decide(look(ready, { shoot })).status.phase).toBe("Ready");
    expect(decide(look(ready, { shoot, now: now + 60_000 })).status).toMatchObject({
      phase: "Degraded",
      provisioningCompletedAt: ago(60),
    });
  });
});

describe("administrators", () => {
  const wellKnown = (spec: string[], are: string[], condition?: { status: "True" | "False"; reason: string }) => {
    const status: ClusterStatus = {
      zones,
      phase: "Ready",
      shootRef: { name: "c-abcdefgh", uid: "shoot-uid" },
      provisioningCompletedAt: time,
      administrators: are,
      ...(condition && { conditions: [{ type: "AdministratorsConfigured", ...condition }] }),
    };
    return makeCluster({ spec: { administrators: spec }, status });
  };
  const yes = { status: "True", reason: "Configured" } as const;
  const shoot = makeShoot(makeCluster(), done);
  const visit = (administrators: string[]) => ({ do: "setAdministrators", administrators });

  test("are set when it is stored that this is under way, and not at all where nobody is or was asked for", () => {
    expect(afterStoring(look(wellKnown(["a@x"], [], yes), { shoot })).step).toEqual(visit(["a@x"]));
    expect(afterStoring(look(wellKnown([], ["a@x"], yes), { shoot })).step).toEqual(visit([]));
    for (const condition of [undefined, yes]) {
      const { step, goesOn } = decide(look(wellKnown([], [], condition), { shoot }));
      expect([step, goesOn]).toEqual([undefined, undefined]);
    }
  });

  test.each(["Configuring", "BindingNameTaken", "TargetFailing", "Hibernated"])(
    "of whom somebody was to be set, and %s came of it, are set though they are listed as before",
    (reason) => {
      const cluster = wellKnown(["b@x"], ["b@x"], { status: "False", reason });
      const { step, status } = decide(look(cluster, { shoot }));
      expect(step).toEqual(visit(["b@x"]));
      // Until then it says the same: a visit that is refused again is no news.
      expect(status.conditions).toContainEqual(expect.objectContaining({ type: "AdministratorsConfigured", reason }));
      const { step: next, status: then } = decide(look(cluster, { shoot, facts: { administrators: ["b@x"] } }));
      expect(next).toBeUndefined();
      expect(then.conditions).toContainEqual(expect.objectContaining({ type: "AdministratorsConfigured", ...yes }));
    },
  );

  test("that were asked for before the cluster was ready, and no more, are nobody", () => {
    const cluster = wellKnown([], [], { status: "False", reason: "WaitingForCluster" });
    delete cluster.status?.provisioningCompletedAt;
    const making = makeShoot(cluster, { ...done, conditions: [conditionOf("Unknown")] });
    const { step, status } = decide(look(cluster, { shoot: making }));
    expect(step).toBeUndefined();
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: "AdministratorsConfigured", ...yes }));
  });
});

describe("who may sign in", () => {
  const oidcConfig = { issuerURL: "https://issuer.example.com", clientID: "kyma", usernameClaim: "sub" };
  const { configMapName, digest } = authenticationOf(oidcConfig, "c-abcdefgh") as Authentication;
  const type = "OIDCConfigured";
  const configured = { type, status: "True", reason: "Configured" } as const;
  const clusterWith = (condition: ClusterCondition, spec: Partial<ClusterSpec> = { oidcConfig }) =>
    makeCluster({
      spec,
      status: {
        zones,
        phase: "Ready",
        shootRef: { name: "c-abcdefgh", uid: "shoot-uid" },
        provisioningCompletedAt: time,
        conditions: [condition],
      },
    });
  /** Told of the issuer above. */
  const shootOf = (cluster: Stored<Cluster>) => {
    const authentication = cluster.spec.oidcConfig && configMapName;
    const shoot = makeShoot(cluster, done, renderShoot({ ...wantedOf(cluster), authentication }, account));
    shoot.metadata.annotations = { ...shoot.metadata.annotations, [annotations.authenticationDigest]: digest };
    return shoot;
  };

  const waiting = { type, status: "False", reason: "WaitingForCluster" } as const;

  test.each([configured, waiting])("is no question where the Shoot knows, or was just made: $reason", (condition) => {
    const cluster = clusterWith(condition);
    const { step, goesOn } = decide(look(cluster, { shoot: shootOf(cluster) }));
    expect([step, goesOn]).toEqual([undefined, undefined]);
  });

  test.each([configured, waiting])("is written when it is stored that $reason counts no more", (condition) => {
    const cluster = clusterWith(condition, { oidcConfig: { ...oidcConfig, clientID: "another" } });
    const { step, status } = afterStoring(look(cluster, { shoot: shootOf(cluster) }));
    expect(step?.do).toBe("writeAuthentication");
    expect(status.conditions).toContainEqual(expect.objectContaining({ type, status: "False", reason: "Configuring" }));
  });

  test.each(["Configuring", "InvalidIssuer", "NotConfigured", "ConfigMapNameTaken"])(
    "is written and told once more after %s, though the Shoot was told the same before",
    (reason) => {
      const cluster = clusterWith({ type, status: "False", reason });
      const shoot = shootOf(cluster);
      expect(decide(look(cluster, { shoot })).step?.do).toBe("writeAuthentication");
      const { step } = decide(look(cluster, { shoot, facts: { authentication: digest } }));
      expect(step).toMatchObject({ do: "changeShoot", wanted: { annotations: { [gardener.operation]: "reconcile" } } });
      const { step: next, status } = decide(look(cluster, { shoot, facts: { authentication: digest, told: digest } }));
      expect(next).toBeUndefined();
      expect(status.conditions).toContainEqual(expect.objectContaining(configured));
    },
  );

  test.each([configured, waiting])("is nobody any more when that is stored, after $reason", (condition) => {
    const cluster = clusterWith(condition, {});
    const { step, status } = afterStoring(look(cluster, { shoot: shootOf(cluster) }));
    expect(step?.do).toBe("removeAuthentication");
    expect(status.conditions).toContainEqual(expect.objectContaining({ type, reason: "NotConfigured" }));
  });
});

describe("a change that Gardener does not take", () => {
  const spec = { administrators: ["b@x"] };
  const cluster = makeCluster({
    spec,
    infrastructure: { autoScalerMax: 500 },
    status: {
      zones,
      phase: "Ready",
      shootRef: { name: "c-abcdefgh", uid: "shoot-uid" },
      administrators: ["a@x"],
      provisioningCompletedAt: time,
    },
  });
  const shoot = makeShoot(makeCluster(), done);

  test("is said, and keeps nobody administrator", () => {
    const first = decide(look(cluster, { shoot }));
    expect([first.step?.do, first.canWait]).toEqual(["changeShoot", true]);
    const trouble = { reason: "GardenerInvalid", message: "too many" };
    const facts: Facts = { unchanged: { trouble, again: { afterMs: 1 } } };
    const { step, status } = afterStoring(look(cluster, { shoot, facts }));
    expect(step).toEqual({ do: "setAdministrators", administrators: ["b@x"] });
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: "ShootUpToDate", status: "False", ...trouble }),
    );
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
    health: fc.constantFrom("True", "False", "Unknown"),
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
      conditions: [conditionOf(given.health)],
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
    // Some of it comes up once in 500 only.
    fc.assert(property, { numRuns: 10_000 });
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
