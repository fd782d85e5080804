import { findCondition } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { makeChallenge, makeInstance, makeSettings, startOfTest, usualContainers } from "../testing/make-objects.ts";
import { makeSnapshot, type SnapshotBuilder } from "../testing/make-snapshot.ts";
import { decide } from "./decide.ts";

const settings = makeSettings();
const challenge = makeChallenge({ containers: usualContainers });
const begun = makeSnapshot(makeInstance().held().identified()).with({ challenge }).started(settings);
const edited = makeChallenge({ containers: usualContainers, allowOutboundTraffic: true });

const made = ({ seen }: SnapshotBuilder) =>
  decide(seen, settings).effects.map((effect) => (effect.do === "make" ? effect.child.type.kind : effect.do));
const conditionOf = ({ seen }: SnapshotBuilder, type: string) =>
  findCondition(decide(seen, settings).status.conditions, type);

test("nothing is made for what is not held", () => {
  const seen = makeSnapshot(makeInstance()).with({ challenge }).seen;
  expect(decide(seen, settings).effects).toEqual([{ do: "addFinalizer" }]);
});

describe("each stage waits for the one before it:", () => {
  test("the record", () => {
    expect(made(begun.with({ revision: undefined }))).toEqual(["ControllerRevision"]);
  });

  test("the namespace", () => {
    expect(made(begun)).toEqual(["Namespace"]);
  });

  test("the network policy and all else that pods need", () => {
    const needed = ["LimitRange", "NetworkPolicy", "ResourceQuota", "Service"];
    expect(made(begun.made(settings, 1)).sort()).toEqual(needed);
  });

  test("as long as one of those is missing, no Deployment", () => {
    const whole = begun.made(settings, 2);
    expect(made(whole.withoutChild("NetworkPolicy", "challenge-network-policy"))).toEqual(["NetworkPolicy"]);
  });

  test("the Deployments, and what pods do not wait for", () => {
    const kinds = ["PodDisruptionBudget", "Deployment", "Service", "HTTPRoute"];
    expect(new Set(made(begun.made(settings, 2)))).toEqual(new Set(kinds));
  });

  test("and nothing more", () => {
    expect(made(begun.made(settings))).toEqual([]);
  });
});

test("what was changed is put right, with the object that was found", () => {
  const whole = begun.made(settings);
  const changed = whole.with({ isAsWanted: ({ type }) => type.kind !== "Deployment" });
  expect(made(changed)).toEqual(["Deployment", "Deployment"]);
  expect(decide(changed.seen, settings).effects[0]).toMatchObject({ do: "make", found: { kind: "Deployment" } });
});

describe("what it runs", () => {
  const whole = begun.made(settings);

  test("stays when the Challenge changes", () => {
    expect(made(whole.with({ challenge: edited }))).toEqual([]);
  });

  test("stays when the Challenge goes, and that is told", () => {
    const seen = whole.with({ challenge: undefined });
    expect(made(seen)).toEqual([]);
    expect(conditionOf(seen, "ChallengeFound")).toMatchObject({ status: "False", reason: "ChallengeDeleted" });
  });

  test.each([
    { name: "lost", revision: undefined },
    { name: "made unreadable", revision: { ...whole.seen.revision, data: "?" } as never },
  ])("is not guessed where the record is $name and the Challenge has changed", ({ revision }) => {
    const seen = whole.with({ revision, challenge: edited }).withoutChild("Service", "web");
    expect(made(seen)).toEqual([]);
    expect(conditionOf(seen, "DeploymentsCreated")).toMatchObject({ status: "Unknown", reason: "RevisionLost" });
  });

  test("stays with a record of an older version, in which the Challenge and younger settings are not", () => {
    const { data } = whole.seen.revision as { data: { workload: object; settings: typeof settings.build } };
    const { httpTls: _, ...gateway } = data.settings.gateway;
    const older = { workload: data.workload, settings: { ...data.settings, gateway } };
    expect(made(whole.with({ revision: { ...whole.seen.revision, data: older } as never }))).toEqual([]);
  });

  test("stays when Challenges are looked for somewhere else", () => {
    const elsewhere = { ...settings, challengeNamespace: "other" };
    expect(decide(whole.with({ challenge: undefined }).seen, elsewhere).effects).toEqual([]);
  });

  test("is recorded again where the Challenge is as it was", () => {
    expect(made(whole.with({ revision: undefined }))).toEqual(["ControllerRevision"]);
  });

  test("is not called ready where nobody knows it and no container is left", () => {
    const seen = whole.with({ revision: undefined, challenge: edited, children: new Map() });
    expect(decide(seen.seen, settings).status).toMatchObject({ phase: "Starting", reason: "PodsMissing" });
  });

  test("is what the Challenge says by then, as long as nothing is made", () => {
    const { status, statusFirst } = decide(begun.with({ challenge: edited, revision: undefined }).seen, settings);
    expect(statusFirst).toBe(true);
    expect(status.revision).not.toBe(begun.seen.instance.status?.revision);
  });
});

describe("a kind that goes while the instance runs", () => {
  const without = begun.made(settings).without("HTTPRoute");

  test("is told and asked for; all else is looked after", () => {
    expect(conditionOf(without, "RoutesCreated")).toMatchObject({ status: "False", reason: "KindMissing" });
    expect(decide(without.seen, settings).dueAt).toBe(startOfTest + 15_000);
    expect(made(without.withoutChild("Service", "web"))).toEqual(["Service"]);
  });

  test("is made use of when it is back", () => {
    expect(made(begun.made(settings).withoutChild("HTTPRoute", "web-8080"))).toEqual(["HTTPRoute"]);
  });
});

test("a namespace that has lost our marks is told, and nothing in it is touched", () => {
  const running = makeInstance()
    .held()
    .identified()
    .inPhase("Running")
    .withCondition("NamespaceCreated", "True", "Created");
  const seen = makeSnapshot(running).with({ challenge }).started(settings).withNamespace("");
  const { effects, status, dueAt } = decide(seen.seen, settings);
  expect(effects).toEqual([]);
  expect(findCondition(status.conditions, "Healthy")).toMatchObject({ status: "Unknown", reason: "NameConflict" });
  expect(dueAt).toBe(startOfTest + 60_000);
});
