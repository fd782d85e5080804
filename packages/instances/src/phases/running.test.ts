import { formatTime } from "@berg/apimachinery";
import { findCondition } from "@berg/kube";
import { expect, test } from "vitest";
import { makeInstance, makeSettings, startOfTest } from "../testing/make-objects.ts";
import { makeSnapshot } from "../testing/make-snapshot.ts";
import { decide } from "./decide.ts";

const settings = makeSettings();
const whole = makeSnapshot(makeInstance().held().identified()).started(settings).made(settings);
const statusOf = (seen: typeof whole) => decide(seen.seen, settings).status;
const after = (status: ReturnType<typeof statusOf>) => whole.with({ instance: { ...whole.seen.instance, status } });

test("it starts, gets into trouble, recovers, runs, falters and recovers", () => {
  const waits = statusOf(whole);
  expect(waits).toMatchObject({ phase: "Starting" });
  expect(waits).not.toHaveProperty("reason");
  expect(findCondition(waits.conditions, "PodsReady")).toMatchObject({
    status: "Unknown",
    message: "Waiting for web.",
  });

  const crashes = statusOf(after(waits).withPods("crashing"));
  expect(crashes).toMatchObject({ phase: "Starting", reason: "ContainerCrashes" });
  expect(crashes).not.toHaveProperty("readyAt");

  const runs = statusOf(
    after(crashes)
      .withPods("ready")
      .at(startOfTest + 5000),
  );
  expect(runs).toMatchObject({ phase: "Running", readyAt: formatTime(startOfTest + 5000) });
  expect(runs).not.toHaveProperty("reason");
  expect(findCondition(runs.conditions, "Healthy")).toMatchObject({ status: "True" });

  const falters = statusOf(
    after(runs)
      .withPods("unready")
      .at(startOfTest + 9000),
  );
  expect(falters).toMatchObject({ phase: "Running", reason: "WaitingForPods", readyAt: runs.readyAt });
  expect(findCondition(falters.conditions, "Healthy")).toMatchObject({ status: "False" });

  const again = statusOf(
    after(falters)
      .withPods("ready")
      .at(startOfTest + 10_000),
  );
  expect(again).toMatchObject({ phase: "Running", readyAt: runs.readyAt });
  expect(findCondition(again.conditions, "Healthy")).toMatchObject({ status: "True" });
});

test("what is settled is decided the same again", () => {
  const runs = statusOf(whole.withPods("ready"));
  const again = decide(
    after(runs)
      .withPods("ready")
      .at(startOfTest + 60_000).seen,
    settings,
  );
  expect(again.status).toEqual(runs);
  expect(again).toMatchObject({ effects: [], statusFirst: false, dueAt: startOfTest + 7_200_000 - 300_000 });
});

test("while something is repaired, its health and its renewals are told all the same", () => {
  const runs = statusOf(whole.withPods("ready"));
  const seen = after(runs).withPods("crashing").withoutChild("NetworkPolicy", "challenge-network-policy");
  const { instance } = seen.seen;
  const asked = seen
    .with({ instance: { ...instance, spec: { ...instance.spec, renewals: 1 } } })
    .at(startOfTest + 60_000);
  const { effects, status } = decide(asked.seen, settings);
  expect(effects).toHaveLength(1);
  expect(status).toMatchObject({ phase: "Running", reason: "ContainerCrashes", renewals: 1 });
});

test("the owner is warned when the time is nearly up, and the end comes next", () => {
  const runs = statusOf(whole.withPods("ready"));
  const soon = decide(
    after(runs)
      .withPods("ready")
      .at(startOfTest + 7_200_000 - 300_000).seen,
    settings,
  );
  expect(soon).toMatchObject({ status: { expiresSoon: true }, dueAt: startOfTest + 7_200_000 });
});

test("a timeout that cannot be used changes nothing of one that runs but what it says, until it is mended", () => {
  const runs = statusOf(whole.withPods("ready"));
  const withTimeout = (status: typeof runs, timeout: string) => {
    const seen = after(status).withPods("ready");
    const { instance } = seen.seen;
    return statusOf(seen.with({ instance: { ...instance, spec: { ...instance.spec, timeout } } }));
  };
  const told = withTimeout(runs, "0s");
  expect(told).toMatchObject({ phase: "Running", expiresAt: runs.expiresAt, timeout: "0s" });
  expect(findCondition(told.conditions, "Admitted")).toMatchObject({
    status: "True",
    reason: "InvalidTimeout",
    message: expect.stringMatching(
      /^The expiry stays as it is: cannot use spec.timeout of the ChallengeInstance: "0s" /,
    ),
  });
  expect(withTimeout(told, "0s")).toEqual(told);
  const mended = withTimeout(told, "3h");
  expect(mended).toMatchObject({ expiresAt: formatTime(startOfTest + 3 * 3_600_000), timeout: "3h" });
  expect(findCondition(mended.conditions, "Admitted")).toMatchObject({ status: "True", reason: "Admitted" });
});
