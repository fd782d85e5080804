import { formatTime, parseDuration } from "@berg/apimachinery";
import { findCondition } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { containerOf } from "../builders/testing/blueprints.ts";
import { makeChallenge, makeInstance, makeSettings, startOfTest } from "../testing/make-objects.ts";
import { makeSnapshot, type SnapshotBuilder } from "../testing/make-snapshot.ts";
import { decide } from "./decide.ts";

const settings = makeSettings({ maxInstances: 2, build: { pullSecretName: "registry" } });
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "registry" } } as never;
const instance = makeInstance().held();
const rival = makeInstance("older").createdAt(startOfTest - 1000);
const flagged = makeChallenge({ containers: [containerOf("web", [], { dynamicFlag: { env: { name: "FLAG" } } })] });
const routed = makeChallenge({ containers: [containerOf("web", [{ port: 80, type: "publicHttpRoute" }])] });
const fine = makeSnapshot(instance).with({ pullSecret: secret });

interface Case {
  name: string;
  seen: SnapshotBuilder;
  phase: "Failed" | "Pending";
  condition: string;
  reason: string;
  text: RegExp;
}

/** In the order in which they are looked at. */
const cases: Case[] = [
  {
    name: "there is no such Challenge",
    seen: fine.with({ challenge: undefined }),
    phase: "Failed",
    condition: "ChallengeFound",
    reason: "ChallengeMissing",
    text: /^Challenge cookie-jar not found in the namespace berg\.$/,
  },
  {
    name: "the Challenge cannot be run",
    seen: fine.with({ challenge: makeChallenge({ containers: [] }) }),
    phase: "Failed",
    condition: "ChallengeFound",
    reason: "ChallengeInvalid",
    text: /^The Challenge cannot be run\. spec\.containers: there is no container to start; add one$/,
  },
  {
    name: "the Challenge adds a capability with which players are root on the node",
    seen: fine.with({
      challenge: makeChallenge({ containers: [containerOf("web", [], { additionalCapabilities: ["ALL"] })] }),
    }),
    phase: "Failed",
    condition: "ChallengeFound",
    reason: "ChallengeInvalid",
    text: /spec\.containers\[0\]\.additionalCapabilities\[0\]: the capability ALL is not allowed: .*; remove it; .*CHALLENGE_CAPABILITIES/,
  },
  {
    name: "its timeout makes no sense",
    seen: fine.with({ instance: instance.withSpec({ timeout: "0s" }).object }),
    phase: "Failed",
    condition: "Admitted",
    reason: "InvalidTimeout",
    text: /spec\.timeout of the ChallengeInstance: "0s" leaves no time at all/,
  },
  {
    name: "the flag is missing",
    seen: fine.with({ challenge: flagged }),
    phase: "Failed",
    condition: "FlagValidation",
    reason: "FlagMissing",
    text: /^Flag required but not provided/,
  },
  {
    name: "the flag cannot be handed over",
    seen: fine.with({ challenge: flagged, instance: instance.withSpec({ flag: "a\0b" }).object }),
    phase: "Failed",
    condition: "DeploymentsCreated",
    reason: "ChallengeInvalid",
    text: /NUL/,
  },
  {
    name: "its owner has another one",
    seen: fine.withRivals(rival),
    phase: "Failed",
    condition: "Admitted",
    reason: "OwnerBusy",
    text: /another instance, older \(of the Challenge cookie-jar\)/,
  },
  {
    name: "the owner's previous one is still going",
    seen: fine.withNamespace("uid-of-previous", { deletionTimestamp: formatTime(startOfTest) }),
    phase: "Pending",
    condition: "NamespaceCreated",
    reason: "PreviousTerminating",
    text: /starts by itself when it is gone/,
  },
  {
    name: "the owner's previous one may still be making something",
    seen: fine.withRivals(rival.withStatus({ phase: "Creating", revision: "r" }).deletedAt(startOfTest)),
    phase: "Pending",
    condition: "NamespaceCreated",
    reason: "PreviousTerminating",
    text: /starts by itself when it is gone/,
  },
  {
    name: "the namespace of a previous one was left behind",
    seen: fine.withNamespace("uid-of-previous"),
    phase: "Pending",
    condition: "NamespaceCreated",
    reason: "LeftOver",
    text: /is left over from an instance that no longer exists; delete it\./,
  },
  {
    name: "the previous one has not begun to go",
    seen: fine.withNamespace("uid-of-older").withRivals(rival.deletedAt(startOfTest)),
    phase: "Pending",
    condition: "NamespaceCreated",
    reason: "PreviousTerminating",
    text: /starts by itself when it is gone/,
  },
  {
    name: "somebody else has the namespace",
    seen: fine.withNamespace(""),
    phase: "Failed",
    condition: "NamespaceCreated",
    reason: "NameConflict",
    text: /exists that is not Berg's; it is left alone/,
  },
  {
    name: "the pull secret is missing",
    seen: fine.with({ pullSecret: undefined }),
    phase: "Pending",
    condition: "DeploymentsCreated",
    reason: "PullSecretMissing",
    text: /^There is no Secret registry \(PULL_SECRET_NAME\) in the namespace berg; create it there\.$/,
  },
  {
    name: "the cluster has no such kind",
    seen: fine.with({ challenge: routed }).without("HTTPRoute"),
    phase: "Pending",
    condition: "RoutesCreated",
    reason: "KindMissing",
    text: /CRD httproutes\.gateway\.networking\.k8s\.io/,
  },
  {
    name: "all places are taken",
    seen: fine.with({ hasCapacity: () => false }),
    phase: "Pending",
    condition: "Admitted",
    reason: "CapacityReached",
    text: /^All 2 places are taken/,
  },
];

describe("an instance is not made where", () => {
  test.each(cases)("$name", ({ seen, phase, condition, reason, text }) => {
    const { status, effects } = decide(seen.seen, settings);
    expect(effects).toEqual([]);
    expect(status).toMatchObject({ phase, reason, message: expect.stringMatching(text) });
    expect(findCondition(status.conditions, condition)).toMatchObject({
      status: "False",
      reason,
      message: status.message,
    });
    // It has an id and an end all the same.
    expect(status).toMatchObject({ instanceId: seen.seen.freshId, expiresAt: formatTime(startOfTest + 7_200_000) });
  });
});

test("nothing in the way: what it runs is written down before anything is made", () => {
  const decision = decide(fine.seen, settings);
  expect(decision).toMatchObject({ effects: [], statusFirst: true, status: { phase: "Creating" } });
  expect(decision.status.revision).toMatch(/^cookie-jar-[0-9a-f]{20}$/);
  expect(decision.status).not.toHaveProperty("reason");
});

test("of several things in the way the first is told, and nothing is left of what was told before", () => {
  const before = instance
    .identified()
    .inPhase("Pending", "CapacityReached")
    .withCondition("Admitted", "False", "CapacityReached");
  const seen = fine.with({ instance: before.object, challenge: flagged, hasCapacity: () => false }).withRivals(rival);
  const { status } = decide(seen.seen, settings);
  expect(status).toMatchObject({ phase: "Failed", reason: "FlagMissing" });
  expect(findCondition(status.conditions, "Admitted")).toBeUndefined();
});

test("what others say about the instance stays", () => {
  const theirs = { type: "ListenerSaysSo", status: "True" as const, lastTransitionTime: formatTime(startOfTest) };
  const before = instance.identified().withStatus({ conditions: [theirs] });
  const { status } = decide(fine.with({ instance: before.object, hasCapacity: () => false }).seen, settings);
  expect(status.conditions).toContainEqual(theirs);
});

test("what nobody tells us about is asked for again; everything else waits for a change", () => {
  const dueIn = (name: string) => {
    const seen = cases.find((one) => one.name === name)?.seen.seen;
    return seen && (decide(seen, settings).dueAt ?? 0) - startOfTest;
  };
  expect(dueIn("the cluster has no such kind")).toBe(15_000);
  expect(dueIn("somebody else has the namespace")).toBe(60_000);
  // The warning before its end.
  expect(dueIn("all places are taken")).toBe(7_200_000 - 300_000);
});

test("no time is lost by waiting", () => {
  const waiting = instance.identified(startOfTest + 7_200_000).inPhase("Pending", "CapacityReached");
  const { status } = decide(fine.with({ instance: waiting.object }).at(startOfTest + 3_600_000).seen, settings);
  expect(status.expiresAt).toBe(formatTime(startOfTest + 3_600_000 + 7_200_000));
  expect(status.history?.at(-1)).toMatchObject({ reason: "Admitted", expiresAt: status.expiresAt });
});

describe("the id", () => {
  const idOf = (wish: string) =>
    decide(fine.with({ instance: instance.wishingFor(wish).object }).seen, settings).status;

  test("is the one that the creator asked for, where that is a UUID", () => {
    const wish = "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d";
    expect(idOf(wish).instanceId).toBe(wish);
  });

  test.each(["", "me", "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d ", "0191E7A4-5F0C-7B3E-9D2A-4C6F8E1B2A3D"])(
    "is not %j",
    (wish) => {
      expect(idOf(wish).instanceId).toBe(fine.seen.freshId);
    },
  );

  test("is given once", () => {
    const known = instance.identified().inPhase("Pending");
    const { status } = decide(
      fine.with({ instance: known.wishingFor("0191e7a4-5f0c-7b3e-9d2a-ffffffffffff").object }).seen,
      settings,
    );
    expect(status.instanceId).toBe(known.object.status?.instanceId);
  });
});

test("an instance that could live for ever still does not outlive a nonsensical timeout", () => {
  const forever = makeSettings({ expiry: { timeout: undefined, maxRenewals: 0, warning: parseDuration("5m") } });
  const seen = makeSnapshot(instance.withSpec({ timeout: "999999h" })).seen;
  expect(decide(seen, forever).status).toMatchObject({ phase: "Failed", reason: "InvalidTimeout" });
});
