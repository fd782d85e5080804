import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Behaviour, behaviourKinds, parseBehaviour } from "./behaviour.ts";
import { beginLife, changeLife, type Life, type Moment, momentOf, type RestartPolicy, restartLife } from "./life.ts";

const birth = Date.parse("2026-01-01T00:00:00Z");

function lifeOf(text: string, restartPolicy: RestartPolicy = "Always"): Life {
  return beginLife(parseBehaviour(text), birth, restartPolicy);
}

/** `stage×restarts` at each change, with the second since birth at which it comes. */
function course(life: Life, count: number): string[] {
  const shown: string[] = [];
  let now = life.since;
  for (let index = 0; index < count && Number.isFinite(now); index++) {
    const moment = momentOf(life, now);
    shown.push(`${(now - birth) / 1000}s ${describeStage(moment)}`);
    now = moment.until;
  }
  return shown;
}

function describeStage({ stage, restartCount }: Moment): string {
  switch (stage.is) {
    case "running":
      return `${stage.ready ? "ready" : "unready"} ×${restartCount}`;
    case "exited":
      return `${stage.exit.reason} ${stage.exit.exitCode} ×${restartCount}`;
    case "crash-backoff":
      return `back-off ${stage.backoffMs / 1000}s ×${restartCount}`;
    case "pull-failed":
      return stage.backingOff ? "pull back-off" : "pull error";
    default:
      return stage.is;
  }
}

describe("the course of a life", () => {
  const cases: { behaviour: string; policy?: RestartPolicy; want: string[] }[] = [
    { behaviour: "ready", want: ["0s ready ×0"] },
    { behaviour: "ready after=5s", want: ["0s creating", "5s ready ×0"] },
    { behaviour: "never-ready after=1s", want: ["0s creating", "1s unready ×0"] },
    { behaviour: "stuck-creating", want: ["0s creating"] },
    { behaviour: "invalid-image-name", want: ["0s invalid-image-name"] },
    { behaviour: "create-container-config-error", want: ["0s config-error"] },
    {
      behaviour: "image-pull",
      want: ["0s pull error", "1s pull back-off", "11s pull error", "12s pull back-off", "32s pull error"],
    },
    {
      behaviour: "crash-loop run=3s",
      want: [
        "0s ready ×0",
        "3s Error 1 ×0",
        "4s ready ×1",
        "7s Error 1 ×1",
        "8s back-off 10s ×1",
        "18s ready ×2",
        "21s Error 1 ×2",
        "22s back-off 20s ×2",
      ],
    },
    {
      behaviour: "oom backoff=1s",
      want: ["0s OOMKilled 137 ×0", "0.1s OOMKilled 137 ×1", "0.2s back-off 1s ×1", "1.2s OOMKilled 137 ×2"],
    },
    { behaviour: "crash-loop exitCode=3", policy: "Never", want: ["0s Error 3 ×0"] },
    { behaviour: "exits run=2s", policy: "OnFailure", want: ["0s ready ×0", "2s Completed 0 ×0"] },
    {
      behaviour: "exits exitCode=2",
      policy: "OnFailure",
      want: ["0s Error 2 ×0", "1s Error 2 ×1", "2s back-off 10s ×1"],
    },
  ];
  test.each(cases)("$behaviour", ({ behaviour, policy, want }) => {
    expect(course(lifeOf(behaviour, policy), want.length)).toEqual(want);
  });

  test("backs off for five minutes at most", () => {
    const { stage } = momentOf(lifeOf("crash-loop"), birth + 24 * 3600_000);
    expect(stage).toEqual({ is: "crash-backoff", backoffMs: 300_000 });
  });

  test("is never stuck between two moments, whatever the behaviour and however late one looks", () => {
    fc.assert(
      fc.property(anyBehaviour, anyPolicy, fc.nat({ max: 10_000_000 }), (behaviour, policy, age) => {
        const life = beginLife(behaviour, birth, policy);
        const { until } = momentOf(life, birth + age);
        expect(until).toBeGreaterThan(birth + age);
      }),
    );
  });
});

describe("a life that changes", () => {
  test("keeps a container running where the new behaviour runs too", () => {
    const life = changeLife(lifeOf("ready"), { kind: "never-ready" }, birth + 9000);
    expect(momentOf(life, birth + 9000)).toEqual({
      stage: { is: "running", since: birth, ready: false },
      restartCount: 0,
      lastExit: undefined,
      until: Number.POSITIVE_INFINITY,
    });
    expect(course(changeLife(life, { kind: "crash-loop", runMs: 1000 }, birth + 10_000), 3)).toEqual([
      "10s ready ×0",
      "11s Error 1 ×0",
      "12s ready ×1",
    ]);
  });

  test("tells when a container that crashes had been started", () => {
    const life = changeLife(lifeOf("ready"), { kind: "oom" }, birth + 9000);
    expect(momentOf(life, birth + 9000).stage).toEqual({
      is: "exited",
      exit: { exitCode: 137, reason: "OOMKilled", startedAt: birth, finishedAt: birth + 9000 },
    });
  });

  test("counts the restart when a crash loop is over", () => {
    const crashing = lifeOf("crash-loop");
    const now = birth + 5000;
    expect(describeStage(momentOf(crashing, now))).toBe("back-off 10s ×1");
    const healed = momentOf(changeLife(crashing, { kind: "ready" }, now), now);
    expect(describeStage(healed)).toBe("ready ×2");
    expect(healed.lastExit).toMatchObject({ exitCode: 1, reason: "Error" });
  });

  test("kills a container whose image can no longer be pulled, and counts no restart until it runs again", () => {
    const now = birth + 60_000;
    const failing = changeLife(lifeOf("ready"), { kind: "image-pull" }, now);
    expect(momentOf(failing, now)).toMatchObject({
      stage: { is: "pull-failed" },
      restartCount: 0,
      lastExit: { exitCode: 137, startedAt: birth, finishedAt: now },
    });
    expect(describeStage(momentOf(changeLife(failing, { kind: "ready" }, now + 1), now + 1))).toBe("ready ×1");
  });

  test("restarts once each time, and takes its time to be ready again", () => {
    const once = restartLife(lifeOf("ready after=5s"), birth + 10_000);
    expect(course(once, 2)).toEqual(["10s unready ×1", "15s ready ×1"]);
    expect(course(restartLife(once, birth + 20_000), 2)).toEqual(["20s unready ×2", "25s ready ×2"]);
  });

  test("a restart before the first start is none", () => {
    expect(course(restartLife(lifeOf("ready after=5s"), birth + 1000), 2)).toEqual(["1s creating", "6s ready ×0"]);
  });

  test("never counts fewer restarts than before", () => {
    const steps = fc.array(fc.tuple(anyBehaviour, fc.nat({ max: 100_000 })), { maxLength: 8 });
    fc.assert(
      fc.property(steps, (changes) => {
        let life = lifeOf("ready");
        let now = birth;
        for (const [behaviour, later] of changes) {
          now += later;
          const before = momentOf(life, now).restartCount;
          life = changeLife(life, behaviour, now);
          expect(momentOf(life, now).restartCount).toBeGreaterThanOrEqual(before);
        }
      }),
    );
  });
});

const anyPolicy = fc.constantFrom<RestartPolicy>("Always", "OnFailure", "Never");
const anyBehaviour: fc.Arbitrary<Behaviour> = fc.record(
  {
    kind: fc.constantFrom(...behaviourKinds),
    afterMs: fc.nat({ max: 20_000 }),
    runMs: fc.nat({ max: 20_000 }),
    backoffMs: fc.nat({ max: 20_000 }),
    exitCode: fc.nat({ max: 255 }),
  },
  { requiredKeys: ["kind"] },
);
