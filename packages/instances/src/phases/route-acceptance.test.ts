/** An instance whose containers are ready and whose gateway accepts its routes, later or never. */
import { formatTime, type Stored } from "@berg/apimachinery";
import { findCondition } from "@berg/kube";
import { describe, expect, test } from "vitest";
import type { Route } from "../builders/routes.ts";
import { makeChallenge, makeInstance, makeSettings, startOfTest, usualContainers } from "../testing/make-objects.ts";
import { makeSnapshot, type SnapshotBuilder } from "../testing/make-snapshot.ts";
import { acceptedRoute } from "../testing/model-cluster.ts";
import { decide } from "./decide.ts";

const settings = makeSettings();
const whole = makeSnapshot(makeInstance().held().identified())
  .with({ challenge: makeChallenge({ containers: usualContainers }) })
  .started(settings)
  .made(settings)
  .withPods("ready");
const decisionOf = (seen: SnapshotBuilder) => decide(seen.seen, settings);
const after = (status: ReturnType<typeof decide>["status"], seconds: number) =>
  whole.with({ instance: { ...whole.seen.instance, status } }).at(startOfTest + seconds * 1000);

type Conditions = Record<string, { status?: string; message?: string; observedGeneration?: number } | undefined>;

/** As `acceptedRoute`, with other conditions. */
const saying = (changes: Conditions) => (route: Stored<Route>) => {
  const conditions = Object.entries({ Accepted: {}, ResolvedRefs: {}, ...changes }).flatMap(([type, change]) =>
    change ? { type, status: "True", reason: type, ...change } : [],
  );
  return { parents: acceptedRoute(route).parents.map((parent) => ({ ...parent, conditions })) };
};
const noAnswer = () => undefined;
const unanswered =
  "Players cannot reach it yet. No gateway controller has answered to the HTTPRoute web-8080: check that the Gateway berg/berg-gateway (listener http) exists and that its controller runs.";
const refusedFor = (why: string) =>
  `Players cannot reach it yet. The HTTPRoute web-8080 is not accepted by the Gateway berg/berg-gateway (listener http): ${why}`;
const otherParent = (route: Stored<Route>) => ({
  parents: acceptedRoute(route).parents.map((parent) => ({
    ...parent,
    parentRef: { name: "other", namespace: "berg" },
  })),
});

test("it runs at once where the routes are accepted", () => {
  const { status, dueAt } = decisionOf(whole);
  expect(status).toMatchObject({ phase: "Running", readyAt: formatTime(startOfTest) });
  expect(status).not.toHaveProperty("reason");
  expect(findCondition(status.conditions, "RoutesCreated")).toMatchObject({ status: "True", reason: "Created" });
  expect(dueAt).toBe(startOfTest + 7_200_000 - 300_000);
});

describe.each<[string, (route: Stored<Route>) => { parents: object[] } | undefined, string]>([
  ["no gateway answers", noAnswer, unanswered],
  ["another Gateway answers", otherParent, unanswered],
  ["the answer is for an earlier generation", saying({ Accepted: { observedGeneration: 0 } }), unanswered],
  ["its references are not looked at yet", saying({ ResolvedRefs: undefined }), unanswered],
  ["the gateway does not know yet", saying({ Accepted: { status: "Unknown" } }), unanswered],
  [
    "it is refused",
    saying({ Accepted: { status: "False", message: "no listener fits" } }),
    refusedFor("no listener fits."),
  ],
  ["its Service is not found", saying({ ResolvedRefs: { status: "False" } }), refusedFor("ResolvedRefs.")],
])("where %s", (name, answer, message) => {
  const unacceptedAt = (seen: SnapshotBuilder) => {
    const routes = seen.withRoutes(answer);
    const children = [...routes.seen.children].map(([key, child]): [string, typeof child] => [
      key,
      { ...child, metadata: { ...child.metadata, generation: 1 } },
    ]);
    return routes.with({ children: new Map(children) });
  };
  const waits = decisionOf(unacceptedAt(whole));

  test("it waits for 5 s after the containers were ready, with a timer", () => {
    expect(waits.status).toMatchObject({
      phase: "Starting",
      message: "All containers are ready. Waiting for the gateway to accept the routes.",
    });
    expect(waits.status).not.toHaveProperty("readyAt");
    expect(waits.status).not.toHaveProperty("reason");
    expect(findCondition(waits.status.conditions, "PodsReady")).toMatchObject({ status: "True" });
    expect(findCondition(waits.status.conditions, "RoutesCreated")).toMatchObject({
      status: "True",
      reason: "Created",
    });
    expect(findCondition(waits.status.conditions, "Healthy")).toBeUndefined();
    expect(waits.dueAt).toBe(startOfTest + 5_000);
    const later = decisionOf(unacceptedAt(after(waits.status, 4)));
    expect(later).toMatchObject({ status: waits.status, dueAt: startOfTest + 5_000 });
  });

  test("it runs as soon as the gateway accepts", () => {
    const runs = decisionOf(after(waits.status, 2));
    expect(runs.status).toMatchObject({ phase: "Running", readyAt: formatTime(startOfTest + 2_000) });
    expect(runs.status).not.toHaveProperty("reason");
    expect(findCondition(runs.status.conditions, "Healthy")).toMatchObject({ status: "True" });
  });

  test("it runs after that, and says that players cannot reach it; a later answer ends that", () => {
    const runs = decisionOf(unacceptedAt(after(waits.status, 5)));
    expect(runs.status).toMatchObject({ phase: "Running", reason: "RouteNotAccepted", message });
    expect(findCondition(runs.status.conditions, "RoutesCreated")).toMatchObject({
      status: "True",
      reason: "RouteNotAccepted",
      message,
    });
    expect(findCondition(runs.status.conditions, "Healthy")).toMatchObject({
      status: "False",
      reason: "RouteNotAccepted",
      message,
    });
    expect(runs.dueAt).toBe(startOfTest + 7_200_000 - 300_000);

    const well = decisionOf(after(runs.status, 60));
    expect(well.status).toMatchObject({ phase: "Running" });
    expect(well.status).not.toHaveProperty("reason");
    expect(findCondition(well.status.conditions, "RoutesCreated")).toMatchObject({ reason: "Created" });
  });

  test("one that runs goes on running, and says so", () => {
    const runs = decisionOf(whole);
    const lost = decisionOf(unacceptedAt(after(runs.status, 60)));
    expect(lost.status).toMatchObject({ phase: "Running", readyAt: runs.status.readyAt });
    // It may be a route that we have just restored: its gateway has accepted it before.
    const isOld = name.includes("earlier generation");
    expect(lost.status.reason).toBe(isOld ? undefined : "RouteNotAccepted");
    expect(lost).toMatchObject({ effects: [], statusFirst: false });
  });
});

test("a gateway that says when its routes are programmed is waited for, and nothing is reported if it is late", () => {
  const unprogrammed = saying({ Programmed: { status: "False", message: "no ready pod" } });
  const waits = decisionOf(whole.withRoutes(unprogrammed));
  expect(waits).toMatchObject({ status: { phase: "Starting" }, dueAt: startOfTest + 5_000 });
  expect(decisionOf(after(waits.status, 1).withRoutes(saying({ Programmed: {} }))).status.phase).toBe("Running");
  const late = decisionOf(after(waits.status, 5).withRoutes(unprogrammed));
  expect(late.status).toMatchObject({ phase: "Running" });
  expect(late.status).not.toHaveProperty("reason");
  expect(decisionOf(after(late.status, 60).withRoutes(unprogrammed)).status).toEqual(late.status);
});

test("a restored route of a running instance has 5 s to be accepted", () => {
  const { status } = decisionOf(whole);
  const recreated = after(status, 600).withRoutes(noAnswer);
  const children = [...recreated.seen.children].map(([key, child]): [string, typeof child] => [
    key,
    { ...child, metadata: { ...child.metadata, creationTimestamp: formatTime(startOfTest + 600_000) } },
  ]);
  const seen = recreated.with({ children: new Map(children) });
  expect(decisionOf(seen)).toMatchObject({ status, dueAt: startOfTest + 605_000 });
  expect(decisionOf(seen.at(startOfTest + 605_000)).status).toMatchObject({ reason: "RouteNotAccepted" });
});

test("while the containers are not ready, routes are not waited for and nothing is said of them", () => {
  const { status, dueAt } = decisionOf(
    whole
      .withPods("unready")
      .withRoutes(noAnswer)
      .at(startOfTest + 60_000),
  );
  expect(status).toMatchObject({ phase: "Starting" });
  expect(findCondition(status.conditions, "RoutesCreated")).toMatchObject({ reason: "Created" });
  expect(dueAt).toBe(startOfTest + 7_200_000 - 300_000);
});

test("the 5 s begin anew where containers fail while the routes are waited for", () => {
  const waits = decisionOf(whole.withRoutes(noAnswer)).status;
  const crashed = decisionOf(after(waits, 3).withPods("crashing").withRoutes(noAnswer)).status;
  expect(crashed).toMatchObject({ phase: "Starting", reason: "ContainerCrashes" });
  const again = decisionOf(after(crashed, 10).withRoutes(noAnswer));
  expect(again).toMatchObject({ status: { phase: "Starting" }, dueAt: startOfTest + 15_000 });
});
