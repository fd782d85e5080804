import { describe, expect, test } from "vitest";
import { decide, type Seen } from "./decide.ts";
import { type AppliedTunnel, type Memory, nothingDone, nothingKnown } from "./memory.ts";

const limits = { maxStreams: 1024 };
const configuration = {
  name: "db",
  serverAddress: "localhost",
  serverPort: 5432,
  clientProxyAddress: "0.0.0.0",
  clientProxyPort: 0,
  limits,
};
const pair = {
  containerId: "c1",
  processId: 7,
  processStartTime: "2026-01-01T00:00:00.000000Z",
  stdoutFile: "/out",
  stderrFile: "/err",
  controlPort: 1,
  dataPort: 2,
};
const ready: AppliedTunnel = {
  id: 1,
  configuration,
  state: "Ready",
  errorMessage: "",
  addresses: ["10.0.0.2"],
  port: 40_001,
  timestamp: "2026-01-01T00:00:01.000000Z",
  failures: 0,
  retryAt: undefined,
};
const startedMemory: Memory = { ...nothingDone, isClean: false, pair };
const settledMemory: Memory = { ...startedMemory, tunnels: new Map([["db", ready]]), lastTunnelId: 1 };

interface Given {
  state?: string;
  status?: object;
  memory?: Memory;
  network?: object | undefined;
  deleted?: boolean;
  more?: Partial<Seen>;
}

function seen({ state, status, memory = nothingDone, network = runningNetwork, deleted = false, more }: Given): Seen {
  return {
    object: {
      apiVersion: "berg.norelect.ch/v1",
      kind: "ContainerNetworkTunnelProxy",
      metadata: { name: "p", uid: "u", generation: 1, ...(deleted && { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
      spec: { containerNetworkName: "net", tunnels: [configuration], baseImage: "base" },
      ...((status || state !== undefined) && { status: { state, ...status } }),
    },
    isHeld: true,
    network,
    engineTrouble: undefined,
    isImageCurrent: false,
    memory,
    now: 1_000,
    time: "2026-01-01T00:01:00.000000Z",
    ...more,
  } as unknown as Seen;
}
const runningNetwork = { metadata: { name: "net" }, status: { state: "Running" } };
const goingNetwork = { ...runningNetwork, metadata: { name: "net", deletionTimestamp: "2026-01-01T00:00:00Z" } };

const heldUp = (retryAt: number) => ({ why: "the engine is away", failures: 1, retryAt });
const writes = (state: string, message: string | RegExp) => ({
  do: "write",
  status: expect.objectContaining({ state, message: expect.stringMatching(message) }),
});

describe("one step from each state", () => {
  test.each<{ name: string; given: Given; want: unknown }>([
    { name: "it is held first", given: { more: { isHeld: false } }, want: { do: "hold" } },
    {
      name: "what others left is looked at",
      given: { state: "Running", memory: nothingKnown },
      want: { do: "takeOver" },
    },
    { name: "no network", given: { network: undefined }, want: writes("Pending", /net, which is not there/) },
    { name: "a network that goes", given: { network: goingNetwork }, want: writes("Pending", /not there/) },
    {
      name: "a network that is not ready",
      given: { network: { ...runningNetwork, status: { state: "FailedToStart", message: "name taken" } } },
      want: writes("Pending", /net, which is FailedToStart: name taken/),
    },
    {
      name: "a network that nobody has looked at",
      given: { network: { metadata: { name: "net" } } },
      want: writes("Pending", /which is new/),
    },
    {
      name: "an engine that is unwell",
      given: { more: { engineTrouble: "no answer" } },
      want: writes("Pending", /engine: no answer/),
    },
    { name: "all is there", given: {}, want: writes("BuildingImage", /made on base/) },
    { name: "all is there, from Pending", given: { state: "Pending" }, want: writes("BuildingImage", /base/) },
    { name: "the image too", given: { more: { isImageCurrent: true } }, want: writes("Starting", /started/) },
    { name: "BuildingImage", given: { state: "BuildingImage" }, want: { do: "build" } },
    {
      name: "the image is made",
      given: { state: "BuildingImage", memory: { ...nothingDone, isImageReady: true } },
      want: writes("Starting", /started/),
    },
    {
      name: "the image cannot be made",
      given: { state: "BuildingImage", memory: { ...nothingDone, failure: "no disk" } },
      want: writes("Failed", /no disk/),
    },
    {
      name: "the image cannot be made now",
      given: { state: "BuildingImage", memory: { ...nothingDone, heldUp: heldUp(1_500) } },
      want: writes("Pending", /engine is away/),
    },
    {
      name: "the image can be tried again",
      given: { state: "BuildingImage", memory: { ...nothingDone, heldUp: heldUp(1_000) } },
      want: { do: "build" },
    },
    {
      name: "the start did not succeed now",
      given: { state: "Starting", memory: { ...nothingDone, isClean: false, heldUp: heldUp(900) } },
      want: writes("Pending", /engine is away/),
    },
    {
      name: "what is left of the start",
      given: { state: "Pending", memory: { ...nothingDone, isClean: false, heldUp: heldUp(1_500) } },
      want: { do: "cleanUp" },
    },
    {
      name: "what is left of the start, without a network",
      given: { state: "Pending", network: undefined, memory: { ...nothingDone, isClean: false } },
      want: { do: "cleanUp" },
    },
    {
      name: "what is left of the start, while the engine is away",
      given: { state: "Pending", memory: { ...nothingDone, isClean: false }, more: { engineTrouble: "no answer" } },
      want: writes("Pending", /engine: no answer/),
    },
    {
      name: "a while after the start did not succeed",
      given: {
        state: "Pending",
        status: { observedGeneration: 1, message: "the engine is away" },
        memory: { ...nothingDone, heldUp: heldUp(1_500) },
      },
      want: { do: "wait", until: 1_500 },
    },
    {
      name: "long enough after the start did not succeed",
      given: { state: "Pending", memory: { ...nothingDone, heldUp: heldUp(1_000) } },
      want: writes("BuildingImage", /base/),
    },
    { name: "Starting", given: { state: "Starting" }, want: { do: "start" } },
    { name: "started", given: { state: "Starting", memory: startedMemory }, want: writes("Running", /run/) },
    {
      name: "not started",
      given: { state: "Starting", memory: { ...nothingDone, failure: "no room" } },
      want: writes("Failed", /no room/),
    },
    {
      name: "started, and ended at once",
      given: { state: "Starting", memory: { ...startedMemory, failure: "killed" } },
      want: writes("Failed", /killed/),
    },
    {
      name: "Running: tunnels are missing",
      given: { state: "Running", memory: startedMemory },
      want: {
        do: "apply",
        plan: { deletions: [], preparations: [{ id: 1, configuration }], nextAt: undefined },
      },
    },
    {
      name: "Running: tunnels are there, and not yet told",
      given: { state: "Running", memory: settledMemory },
      want: writes("Running", /run/),
    },
    {
      name: "Running: the pair has ended",
      given: { state: "Running", memory: { ...settledMemory, failure: "killed" } },
      want: writes("Failed", /killed/),
    },
    { name: "Running: there is no pair", given: { state: "Running" }, want: writes("Failed", /gone/) },
    {
      name: "Running: the network goes",
      given: { state: "Running", memory: settledMemory, network: goingNetwork },
      want: writes("Failed", /net was deleted/),
    },
    {
      name: "Running: the network has gone",
      given: { state: "Running", memory: settledMemory, network: undefined },
      want: writes("Failed", /net was deleted/),
    },
    {
      name: "Running: the proxies do not hear each other, and a tunnel is missing",
      given: { state: "Running", memory: { ...startedMemory, outOfTouch: "no route" } },
      want: writes("Running", /lost each other.*no route/),
    },
    { name: "Failed, with a pair", given: { state: "Failed", memory: startedMemory }, want: { do: "cleanUp" } },
    { name: "Failed, and clean", given: { state: "Failed" }, want: { do: "wait" } },
    { name: "deleted, and clean", given: { state: "Failed", deleted: true }, want: { do: "letGo" } },
    { name: "deleted, never begun", given: { deleted: true }, want: { do: "letGo" } },
    {
      name: "deleted while it runs",
      given: { state: "Running", memory: settledMemory, deleted: true },
      want: { do: "cleanUp" },
    },
    {
      name: "deleted, of an earlier controller",
      given: { state: "Pending", memory: nothingKnown, deleted: true },
      want: { do: "cleanUp" },
    },
    { name: "deleted, and not ours to hold", given: { deleted: true, more: { isHeld: false } }, want: { do: "wait" } },
  ])("$name", ({ given, want }) => {
    // Undefined is a network that is not there, and no default.
    const all = "network" in given ? { ...seen(given), network: given.network as Seen["network"] } : seen(given);
    expect(decide(all)).toEqual(want);
  });
});

describe("while something is under way", () => {
  const at = (work: Memory["work"], given: Given = {}) =>
    decide(seen({ ...given, memory: { ...(given.memory ?? settledMemory), work } }));

  test.each(["takeOver", "build", "start", "apply", "cleanUp"] as const)("%s is waited for", (work) => {
    expect(at(work, { state: "Running" })).toEqual({ do: "wait" });
  });

  test.each(["takeOver", "build", "start", "cleanUp"] as const)("%s comes to its end though it is deleted", (work) => {
    expect(at(work, { state: "Starting", deleted: true })).toEqual({ do: "wait" });
  });

  test("tunnels are not waited for where the pair ends", () => {
    expect(at("apply", { state: "Running", deleted: true })).toEqual({ do: "abort" });
    expect(at("apply", { state: "Running", memory: { ...settledMemory, failure: "x" } })).toEqual({ do: "abort" });
    expect(at("apply", { state: "Running", network: goingNetwork })).toEqual({ do: "abort" });
  });
});

describe("at rest", () => {
  test("a running pair whose tunnels are told is left alone until the next try", () => {
    const failed = { ...ready, state: "Failed", errorMessage: "in use", retryAt: 5_000 } as const;
    const memory = { ...settledMemory, tunnels: new Map([["db", failed]]) };
    const first = decide(seen({ state: "Running", memory }));
    if (first.do !== "write") throw new Error("it has something to say");
    expect(first.status.tunnelStatuses).toEqual([
      { name: "db", tunnelId: 1, state: "Failed", errorMessage: "in use", timestamp: failed.timestamp },
    ]);
    expect(decide(seen({ status: first.status, memory }))).toEqual({ do: "wait", until: 5_000 });
  });

  test("the generation is answered only when its tunnels are there", () => {
    const started = decide(seen({ state: "Starting", memory: startedMemory }));
    expect(started).toMatchObject({ do: "write", status: { state: "Running" } });
    expect(started.do === "write" && started.status.observedGeneration).toBe(undefined);
    const settled = decide(seen({ state: "Running", memory: settledMemory }));
    expect(settled).toMatchObject({ do: "write", status: { observedGeneration: 1, tunnelConfigurationVersion: 1 } });
  });

  test("Pending is written once, and the engine asked again soon", () => {
    const given = { more: { engineTrouble: "no answer" } };
    const first = decide(seen(given));
    if (first.do !== "write") throw new Error("it has something to say");
    expect(decide(seen({ ...given, status: first.status }))).toEqual({ do: "wait", until: 4_000 });
  });
});

describe("what could not be removed", () => {
  const unclean = { why: "no answer", failures: 1, retryAt: 2_000 };

  test.each([
    {
      name: "is told, where it is deleted",
      given: { state: "Running", deleted: true },
      want: writes("Running", /no answer/),
    },
    {
      name: "does not hide why it failed",
      given: { status: { state: "Failed", message: "killed" } },
      want: { do: "wait", until: 2_000 },
    },
    {
      name: "is tried again in time",
      given: { state: "Failed", more: { now: 2_000 } },
      want: { do: "cleanUp" },
    },
  ])("$name", ({ given, want }) => {
    expect(decide(seen({ ...given, memory: { ...startedMemory, unclean } }))).toEqual(want);
  });

  test("holds up a take-over", () => {
    const memory = { ...nothingKnown, unclean };
    expect(decide(seen({ state: "Starting", memory }))).toEqual(writes("Starting", /an earlier controller.*no answer/));
    expect(decide(seen({ state: "Starting", memory, more: { now: 3_000 } }))).toEqual({ do: "takeOver" });
  });
});

test("a pair that fails takes its tunnels with it; what had failed before keeps its reason", () => {
  const tunnelStatuses = [
    { name: "db", tunnelId: 1, state: "Ready", timestamp: "t1", clientProxyPort: 1, clientProxyAddresses: ["a"] },
    { name: "web", tunnelId: 2, state: "Failed", errorMessage: "in use", timestamp: "t2" },
  ];
  const status = {
    ...{ state: "Running", tunnelStatuses, tunnelConfigurationVersion: 4, serverProxyProcessId: 7 },
    ...{ serverProxyStdOutFile: "/out", serverProxyStdErrFile: "/err", clientProxyContainerId: "c1" },
  };
  const step = decide(seen({ status, memory: { ...settledMemory, failure: "killed" } }));
  expect(step).toEqual({
    do: "write",
    status: {
      observedGeneration: 1,
      state: "Failed",
      message: "killed",
      tunnelConfigurationVersion: 4,
      serverProxyStdOutFile: "/out",
      serverProxyStdErrFile: "/err",
      tunnelStatuses: [
        {
          name: "db",
          tunnelId: 1,
          state: "Failed",
          errorMessage: "The proxies do not run any more",
          timestamp: "2026-01-01T00:01:00.000000Z",
        },
        tunnelStatuses[1],
      ],
    },
  });
});

test("texts that are too long are cut, so that the status is taken", () => {
  const step = decide(seen({ state: "Starting", memory: { ...nothingDone, failure: "é".repeat(5_000) } }));
  expect(step.do === "write" && [...(step.status.message ?? "")].length).toBe(4096);
});
