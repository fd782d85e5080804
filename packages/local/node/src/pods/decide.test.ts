import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PodSpec } from "../containers/shapes.ts";
import { makePod } from "../containers/testing/pods.ts";
import { decide, type Step } from "./decide.ts";
import { PodMemory } from "./memory.ts";
import { type SeenContainer, sandboxOf } from "./seen.ts";
import { exited, makeView, named, now, pause, seen, type ViewChanges } from "./testing/views.ts";
import { sandboxWork } from "./view.ts";

const text = (step: Step): string => {
  switch (step.do) {
    case "start":
      return `start ${step.container.name} ${step.attempt}`;
    case "kill":
      return `kill ${step.id} ${step.graceSeconds}s "${step.message}"`;
    case "remove":
      return `remove ${step.ids.join(" ")}`;
    case "make-sandbox":
      return `make-sandbox ${step.attempt}${step.first ? `, ahead ${step.first.container.name} ${step.first.attempt}` : ""}`;
    case "stop-sandbox":
      return `stop-sandbox ${step.id}`;
    case "clear":
      return step.deletesObject ? "clear and delete" : "clear";
  }
};

const withSpec = (spec: Partial<PodSpec>, metadata = {}) => makePod({}, spec, metadata);
const deleted = { deletionTimestamp: "2026-01-01T01:00:00Z", deletionGracePeriodSeconds: 30 };
const memory = (fill: (memory: PodMemory) => void) => {
  const filled = new PodMemory();
  fill(filled);
  return filled;
};
const crashed = (times: number) =>
  memory((filled) => {
    for (let time = 0; time < times; time++) filled.restarting("c", now - 60_000, now - 60_000);
  });
const sidecar = { name: "s", image: "web:1", restartPolicy: "Always" };

interface Case extends ViewChanges {
  name: string;
  want: string[];
  wantEnding?: string;
  /** In how many seconds it looks again. */
  wantAgain?: number;
}

function check({ name: _, want, wantEnding, wantAgain, ...changes }: Case) {
  const { steps, ending, lookAgainAt } = decide(makeView(changes));
  expect(steps.map(text)).toEqual(want);
  expect(ending).toBe(wantEnding);
  expect(lookAgainAt === undefined ? undefined : (lookAgainAt - now) / 1000).toBe(wantAgain);
}

describe("a pod comes to life", () => {
  const two = withSpec({ containers: named("c", "d") });
  const cases: Case[] = [
    { name: "first its network, and its first container with it", want: ["make-sandbox 0, ahead c 0"] },
    { name: "while that is made, nothing", busy: [sandboxWork], want: [] },
    {
      name: "after it failed, it waits",
      memory: memory((filled) => filled.sandboxFailed(now)),
      want: [],
      wantAgain: 0.5,
    },
    { name: "then its containers, one by one", pod: two, seen: [pause()], want: ["start c 0"] },
    { name: "the next waits for the first", pod: two, seen: [pause()], busy: ["c"], starting: "c", want: [] },
    { name: "and for its hook", pod: two, seen: [pause(), seen("c")], busy: ["c"], starting: "c", want: [] },
    { name: "the next", pod: two, seen: [pause(), seen("c")], want: ["start d 0"] },
    {
      name: "one that cannot start does not hold up the next",
      pod: two,
      seen: [pause()],
      memory: memory((filled) => filled.startFailed("c", { reason: "CreateContainerConfigError", message: "" }, now)),
      want: ["start d 0"],
      wantAgain: 10,
    },
    { name: "all run", pod: two, seen: [pause(), seen("c"), seen("d")], want: [] },
    {
      name: "what was made ahead, or left half made by a killed process, is for its start to take or to remove",
      pod: two,
      seen: [pause(), { ...seen("c"), status: "created" }],
      want: ["start c 0"],
    },
    {
      name: "what is half made before its turn is taken away",
      pod: two,
      seen: [pause(), { ...seen("d"), status: "created" }],
      want: ["start c 0", "remove d0"],
    },
    {
      name: "while a container waits, nothing is made ahead for it",
      seen: [exited(pause(), 0), exited(seen("c"), 1)],
      memory: memory((filled) => filled.startFailed("c", { reason: "ErrImagePull", message: "no" }, now)),
      want: ["make-sandbox 1"],
    },
    {
      name: "nor where something half made has its name",
      seen: [exited(pause(), 0), { ...seen("c"), status: "created" }],
      want: ["make-sandbox 1"],
    },
    {
      name: "the count goes on where the engine lost the container",
      pod: {
        ...makePod(),
        status: {
          containerStatuses: [
            { name: "c", containerID: "podman://x", restartCount: 4, ready: true, image: "", imageID: "" },
          ],
        },
      },
      seen: [pause()],
      want: ["start c 5"],
    },
  ];
  test.each(cases)("$name", check);
});

describe("a container that ended", () => {
  const cases: Case[] = [
    { name: "is started again at once", seen: [pause(), exited(seen("c"), 3)], want: ["start c 1"] },
    {
      name: "waits the second time",
      seen: [pause(), exited(seen("c"), 3, 4000)],
      memory: crashed(1),
      want: [],
      wantAgain: 6,
    },
    { name: "and is started", seen: [pause(), exited(seen("c"), 3, 10_000)], memory: crashed(1), want: ["start c 1"] },
    {
      name: "waits longer each time",
      seen: [pause(), exited(seen("c"), 3, 0)],
      memory: crashed(3),
      want: [],
      wantAgain: 40,
    },
    {
      name: "of its attempts only two are kept",
      seen: [pause(), exited(seen("c"), 1), exited(seen("c", { attempt: 1 }), 1), seen("c", { attempt: 2 })],
      want: ["remove c0"],
    },
    {
      name: "that failed its start waits as one that ran",
      seen: [pause(), { ...seen("c"), status: "created" }],
      memory: memory((filled) =>
        filled.startFailed("c", { reason: "RunContainerError", message: "no", startedId: "c0" }, now),
      ),
      want: [],
      wantAgain: 5,
    },
    {
      name: "is left alone where its policy says so, and the pod with it",
      pod: withSpec({ restartPolicy: "OnFailure" }),
      seen: [pause(), exited(seen("c"), 0)],
      want: ["stop-sandbox p0"],
      wantEnding: "finished",
    },
    {
      name: "is started again where its policy says so",
      pod: withSpec({ restartPolicy: "OnFailure" }),
      seen: [pause(), exited(seen("c"), 1)],
      want: ["start c 1"],
    },
    {
      name: "for good leaves the others running",
      pod: withSpec({ restartPolicy: "Never", containers: named("c", "d") }),
      seen: [pause(), exited(seen("c"), 1), seen("d")],
      want: [],
    },
    {
      name: "for good, and everything is as it should be",
      pod: withSpec({ restartPolicy: "Never" }),
      seen: [pause({ status: "exited" }), exited(seen("c"), 1)],
      want: [],
      wantEnding: "finished",
    },
  ];
  test.each(cases)("$name", check);
});

describe("init containers", () => {
  const pod = withSpec({ initContainers: named("i", "j") });
  const never = withSpec({ initContainers: named("i"), restartPolicy: "Never" });
  const withSidecar = withSpec({ initContainers: [sidecar, ...named("i")], restartPolicy: "Never" });
  const probed = withSpec({ initContainers: [{ ...sidecar, startupProbe: { exec: { command: ["x"] } } }] });
  const cases: Case[] = [
    { name: "come first, in order", pod, seen: [pause()], want: ["start i 0"] },
    { name: "hold up the next until they are done", pod, seen: [pause(), seen("i")], want: [] },
    { name: "then the next", pod, seen: [pause(), exited(seen("i"), 0)], want: ["start j 0"] },
    { name: "then the others", pod, seen: [pause(), exited(seen("i"), 0), exited(seen("j"), 0)], want: ["start c 0"] },
    { name: "are tried again", pod, seen: [pause(), exited(seen("i"), 2)], want: ["start i 1"] },
    {
      name: "fail the pod where it may not be tried again",
      pod: never,
      seen: [pause(), exited(seen("i"), 2)],
      want: ["stop-sandbox p0"],
      wantEnding: "finished",
    },
    { name: "are not run again once the pod is initialized", pod, seen: [pause(), seen("c")], want: [] },
    { name: "a sidecar runs on beside the next", pod: withSidecar, seen: [pause(), seen("s")], want: ["start i 0"] },
    {
      name: "a sidecar is waited for until it has started",
      pod: probed,
      seen: [pause(), seen("s")],
      verdicts: { s0: { startup: "unknown" } },
      want: [],
    },
    {
      name: "a sidecar has started",
      pod: probed,
      seen: [pause(), seen("s")],
      verdicts: { s0: { startup: "success" } },
      want: ["start c 0"],
    },
    {
      name: "a sidecar is started again at any time",
      pod: withSidecar,
      seen: [pause(), exited(seen("s"), 0), exited(seen("i"), 0), seen("c")],
      want: ["start s 1"],
    },
    {
      name: "a sidecar ends with the others",
      pod: withSidecar,
      seen: [pause(), seen("s"), exited(seen("i"), 0), exited(seen("c"), 0)],
      want: ['kill s0 30s "Stopping container s"'],
      wantEnding: "finished",
    },
    {
      name: "are run again in a new network",
      pod,
      seen: [pause({ attempt: 1 }), exited(seen("i"), 0), exited(seen("j"), 0), exited(seen("c"), 137)],
      want: ["start i 1"],
    },
  ];
  test.each(cases)("$name", check);
});

describe("a container that is unwell", () => {
  const pod = makePod(
    { startupProbe: { terminationGracePeriodSeconds: 7 }, livenessProbe: {} },
    { terminationGracePeriodSeconds: 12 },
  );
  const cases: Case[] = [
    {
      name: "is ended",
      pod,
      seen: [pause(), seen("c")],
      verdicts: { c0: { liveness: "failure" } },
      want: ['kill c0 12s "Container c failed liveness probe, will be restarted"'],
    },
    { name: "once", pod, seen: [pause(), seen("c")], verdicts: { c0: { liveness: "failure" } }, busy: ["c"], want: [] },
    {
      name: "by the probe's own grace",
      pod,
      seen: [pause(), seen("c")],
      verdicts: { c0: { startup: "failure" } },
      want: ['kill c0 7s "Container c failed startup probe, will be restarted"'],
    },
    {
      name: "and is left alone for being unready",
      pod,
      seen: [pause(), seen("c")],
      verdicts: { c0: { readiness: "failure" } },
      want: [],
    },
  ];
  test.each(cases)("$name", check);
});

describe("a container that was ended for being unwell", () => {
  const unwell = (...ids: string[]) =>
    memory((filled) => {
      for (const id of ids) filled.unwell.add(id);
    });
  const waiting = unwell("c1", "c2");
  waiting.restarting("c", now - 20_000, now - 5000);
  const cases: Case[] = [
    {
      name: "is started again at once",
      seen: [pause(), exited(seen("c"), 0)],
      memory: unwell("c0"),
      want: ["start c 1"],
    },
    {
      name: "waits from the end before",
      seen: [pause(), exited(seen("c", { attempt: 1 }), 0, 4000), exited(seen("c", { attempt: 2 }), 0)],
      memory: waiting,
      want: [],
      wantAgain: 6,
    },
  ];
  test.each(cases)("$name", check);
  test("counts for nothing the first time", () => {
    const { steps } = decide(makeView({ seen: [pause(), exited(seen("c"), 0)], memory: unwell("c0") }));
    expect(steps).toMatchObject([{ do: "start", endedAt: undefined }]);
  });
});

describe("the network that went", () => {
  const dead = pause({ status: "exited" });
  const cases: Case[] = [
    { name: "takes what still runs with it", seen: [dead, seen("c")], want: ['kill c0 30s "Stopping container c"'] },
    { name: "is made anew", seen: [dead, exited(seen("c"), 137)], want: ["make-sandbox 1, ahead c 1"] },
    { name: "waits for what is being done", seen: [dead, exited(seen("c"), 137)], busy: ["c"], want: [] },
    {
      name: "is held by what was in it, and goes after that",
      seen: [pause({ attempt: 1 }), dead, exited(seen("c"), 137), seen("c", { attempt: 1, sandbox: "p1" })],
      want: [],
    },
    {
      name: "goes",
      seen: [pause({ attempt: 1 }), dead, seen("c", { attempt: 2, sandbox: "p1" })],
      want: ["remove p0"],
    },
  ];
  test.each(cases)("$name", check);
});

describe("a pod ends", () => {
  const pod = withSpec({ containers: named("c", "d"), initContainers: [sidecar, { ...sidecar, name: "t" }] }, deleted);
  const all = [pause(), seen("s"), seen("t"), seen("c"), seen("d")];
  const stopping = (name: string) => `kill ${name}0 30s "Stopping container ${name}"`;
  const cases: Case[] = [
    { name: "its containers first", pod, seen: all, want: [stopping("c"), stopping("d")], wantEnding: "deleted" },
    { name: "each once", pod, seen: all, busy: ["c"], want: [stopping("d")], wantEnding: "deleted" },
    {
      name: "its sidecars in the opposite order",
      pod,
      seen: all.slice(0, 3),
      want: [stopping("t")],
      wantEnding: "deleted",
    },
    {
      name: "then its network",
      pod,
      seen: [pause(), exited(seen("c"), 0)],
      want: ["stop-sandbox p0"],
      wantEnding: "deleted",
    },
    { name: "when nothing is being done any more", pod, seen: [pause()], busy: ["c"], want: [], wantEnding: "deleted" },
    {
      name: "then all of it",
      pod,
      seen: [pause({ status: "exited" }), exited(seen("c"), 0)],
      want: ["clear and delete"],
      wantEnding: "deleted",
    },
    { name: "it never began", pod, want: ["clear and delete"], wantEnding: "deleted" },
    {
      name: "of which the server knows nothing any more",
      isGone: true,
      seen: [pause(), seen("c")],
      want: ['kill c0 30s "Stopping container c"'],
      wantEnding: "gone",
    },
    { name: "and is gone", isGone: true, want: ["clear"], wantEnding: "gone" },
    {
      name: "that somebody called failed",
      pod: { ...makePod(), status: { phase: "Failed" } },
      seen: [pause(), seen("c")],
      want: ['kill c0 30s "Stopping container c"'],
      wantEnding: "finished",
    },
    {
      name: "at its deadline",
      pod: {
        ...withSpec({ activeDeadlineSeconds: 60, terminationGracePeriodSeconds: 0 }),
        status: { startTime: "2026-01-01T00:59:00Z" },
      },
      seen: [pause(), seen("c")],
      want: ['kill c0 2s "Stopping container c"'],
      wantEnding: "deadline",
    },
    {
      name: "that took too much of the disk, without the time that others get",
      seen: [pause(), seen("c")],
      memory: memory((filled) => {
        filled.evicted = "too much";
      }),
      want: ['kill c0 1s "Stopping container c"'],
      wantEnding: "evicted",
    },
    {
      name: "that took too much of the disk, to the end: what it wrote goes, and the object stays",
      seen: [exited(pause(), 0), exited(seen("c"), 137)],
      memory: memory((filled) => {
        filled.evicted = "too much";
      }),
      want: ["clear"],
      wantEnding: "evicted",
    },
    {
      name: "that an earlier process evicted, to the end",
      pod: { ...makePod(), status: { phase: "Failed", reason: "Evicted" } },
      seen: [exited(pause(), 0), exited(seen("c"), 137)],
      want: ["clear"],
      wantEnding: "finished",
    },
    {
      name: "that was evicted and cleared away, no further",
      pod: { ...makePod(), status: { phase: "Failed", reason: "Evicted" } },
      isCleared: true,
      want: [],
      wantEnding: "finished",
    },
    {
      name: "not before its deadline",
      pod: { ...withSpec({ activeDeadlineSeconds: 61 }), status: { startTime: "2026-01-01T00:59:00Z" } },
      seen: [pause(), seen("c")],
      want: [],
      wantAgain: 1,
    },
    {
      name: "with a container that it does not know",
      isGone: true,
      seen: [seen("stray")],
      want: ['kill stray0 30s "Stopping container stray"'],
      wantEnding: "gone",
    },
  ];
  test.each(cases)("$name", check);
});

describe("whatever the engine has", () => {
  const names = ["i", "c", "d"];
  const anyContainer = fc.record({
    name: fc.constantFrom(...names),
    attempt: fc.integer({ min: 0, max: 3 }),
    status: fc.constantFrom("created", "running", "exited"),
    exitCode: fc.constantFrom(0, 1),
    sandbox: fc.constantFrom("p0", "p1"),
  });
  const anyView = fc.record({
    containers: fc.array(anyContainer, { maxLength: 6 }),
    pauses: fc.array(fc.record({ attempt: fc.integer({ min: 0, max: 1 }), isRunning: fc.boolean() }), { maxLength: 2 }),
    busy: fc.subarray([...names, sandboxWork]),
    isGone: fc.boolean(),
    isDeleted: fc.boolean(),
    restartPolicy: fc.constantFrom("Always", "OnFailure", "Never"),
  });
  type Any = typeof anyView extends fc.Arbitrary<infer T> ? T : never;

  const build = ({ containers, pauses, busy, isGone, isDeleted, restartPolicy }: Any) => {
    const unique = new Map<string, SeenContainer>();
    for (const { name, attempt, status, exitCode, sandbox } of containers) {
      const one = { ...seen(name, { attempt, sandbox }), status, exitCode } as SeenContainer;
      unique.set(one.id, status === "exited" ? exited(one, exitCode) : one);
    }
    for (const { attempt, isRunning } of pauses)
      unique.set(`p${attempt}`, pause({ attempt, status: isRunning ? "running" : "exited" }));
    const spec = { initContainers: named("i"), containers: named("c", "d"), restartPolicy };
    return { pod: withSpec(spec, isDeleted ? deleted : {}), seen: [...unique.values()], busy, isGone };
  };

  test("nothing is done twice, to what runs, or to what is not there; what ends is not started", () => {
    fc.assert(
      fc.property(anyView, (any) => {
        const view = makeView(build(any));
        const { steps, ending } = decide(view);
        const all = [...view.seen.containers, ...view.seen.pauses];
        const isRunning = (name: string) =>
          view.seen.containers.some(({ identity, status }) => identity.container === name && status === "running");
        const starts = steps.filter((step) => step.do === "start");
        expect(starts.length).toBeLessThanOrEqual(1);
        for (const { container } of starts) {
          expect(ending).toBeUndefined();
          expect(view.busy.has(container.name)).toBe(false);
          expect(view.seen.pauses.some(({ status }) => status === "running")).toBe(true);
        }
        for (const step of steps) {
          if (step.do === "kill")
            expect(view.busy.has(step.container.name) || !isRunning(step.container.name)).toBe(false);
          if (step.do === "remove") {
            for (const id of step.ids) expect(all.find((one) => one.id === id)?.status).not.toBe(undefined);
          }
          if (step.do === "clear") expect(view.seen.containers.some(({ status }) => status === "running")).toBe(false);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("taken step by step it comes to rest, and a pod that ends is cleared away", () => {
    fc.assert(
      fc.property(anyView, (any) => {
        const { pod, isGone, seen: first } = build(any);
        let engine = first;
        const filled = new PodMemory();
        for (let round = 0; round < 60; round++) {
          const { steps, ending } = decide(makeView({ pod, isGone, seen: engine, memory: filled }));
          if (steps.some((step) => step.do === "clear")) return;
          if (steps.length === 0) {
            expect(ending === "gone" || ending === "deleted").toBe(false);
            return;
          }
          // What is started in the same moment has the ID of what it replaces.
          const removals = steps.filter((step) => step.do === "remove");
          for (const step of [...removals, ...steps.filter((step) => step.do !== "remove")])
            engine = take(engine, step);
        }
        throw new Error("it never came to rest");
      }),
      { numRuns: 500 },
    );
  });

  /** What an engine would make of it; whatever is started runs, but for init containers, which are done at once. */
  function take(engine: SeenContainer[], step: Step): SeenContainer[] {
    switch (step.do) {
      case "make-sandbox":
        return [...engine, pause({ attempt: step.attempt })];
      case "stop-sandbox":
        return engine.map((one) => (one.id === step.id ? exited(one, 0) : one));
      case "start": {
        const sandbox = sandboxOf({
          containers: [],
          pauses: engine.filter(({ identity }) => identity.role === "pause"),
        });
        const one = seen(step.container.name, { attempt: step.attempt, sandbox: sandbox?.id ?? "" });
        const others = engine.filter(({ id }) => id !== one.id);
        return [...others, step.container.name === "i" ? exited(one, 0) : one];
      }
      case "kill":
        return engine.map((one) => (one.id === step.id ? exited(one, 137) : one));
      case "remove":
        return engine.filter(({ id }) => !step.ids.includes(id));
      case "clear":
        return [];
    }
  }
});
