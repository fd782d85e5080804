import type { ChallengeInstanceStatus } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { eventsOf } from "./events.ts";

const started = { at: "2026-10-01T12:00:00Z", reason: "Started", message: "The instance ends" };
const condition = (type: string, reason: string) => ({
  conditions: [{ type, status: "False" as const, reason, message: "Why" }],
});
const ready = { phase: "Running" as const, readyAt: "2026-10-01T12:00:00Z" };

interface Case {
  name: string;
  before?: ChallengeInstanceStatus;
  after: ChallengeInstanceStatus;
  told: string[];
}

const cases: Case[] = [
  {
    name: "creating",
    after: { phase: "Creating", history: [started] },
    told: ["Normal InstanceCreating: Creating challenge instance"],
  },
  {
    name: "refused",
    before: { phase: "Creating" },
    after: { phase: "Creating", reason: "QuotaExceeded", message: "No room" },
    told: ["Warning ObjectRefused: No room"],
  },
  {
    name: "server in trouble",
    before: { phase: "Creating" },
    after: { phase: "Creating", reason: "ServerError", message: "Later" },
    told: [],
  },
  {
    name: "our finalizer refused",
    after: { phase: "Pending", reason: "Forbidden", message: "No", ...condition("Admitted", "Forbidden") },
    told: ["Warning ObjectRefused: No"],
  },
  {
    name: "server in trouble before anything has begun",
    after: { phase: "Pending", reason: "ServerError", message: "Later" },
    told: [],
  },
  {
    name: "deletion refused",
    before: { phase: "Terminating", ...condition("NamespaceDeleted", "StoppingWorkload") },
    after: { phase: "Terminating", ...condition("NamespaceDeleted", "Forbidden") },
    told: ["Warning ObjectRefused: Why"],
  },
  {
    name: "server in trouble at the end",
    before: { phase: "Terminating", ...condition("NamespaceDeleted", "StoppingWorkload") },
    after: { phase: "Terminating", ...condition("NamespaceDeleted", "ServerError") },
    told: [],
  },
  { name: "starting", before: { phase: "Creating" }, after: { phase: "Starting" }, told: [] },
  {
    name: "image missing",
    before: { phase: "Starting" },
    after: { phase: "Starting", reason: "ImageCannotBePulled", message: "No image" },
    told: ["Warning ImageCannotBePulled: No image"],
  },
  {
    name: "crashing at the start",
    before: { phase: "Starting" },
    after: { phase: "Starting", reason: "ContainerCrashes", message: "It ends" },
    told: ["Warning InstanceUnhealthy: It ends"],
  },
  {
    name: "ready",
    before: { phase: "Starting" },
    after: ready,
    told: ["Normal InstanceReady: Instance ready and accessible"],
  },
  {
    name: "ready, and no gateway leads to it",
    before: { phase: "Starting" },
    after: { ...ready, reason: "RouteNotAccepted", message: "No", ...condition("RoutesCreated", "RouteNotAccepted") },
    told: [
      "Normal InstanceReady: All containers are ready; the gateway does not accept the routes of the instance",
      "Warning RouteNotAccepted: Why",
    ],
  },
  {
    name: "its gateway is lost",
    before: ready,
    after: { ...ready, reason: "RouteNotAccepted", message: "No", ...condition("RoutesCreated", "RouteNotAccepted") },
    told: ["Warning RouteNotAccepted: Why"],
  },
  {
    name: "its gateway is back",
    before: { ...ready, reason: "RouteNotAccepted", message: "No" },
    after: ready,
    told: ["Normal InstanceHealthy: Instance ready and accessible"],
  },
  {
    name: "its containers are back, and no gateway leads to it",
    before: { ...ready, reason: "ContainerCrashes", message: "It ends" },
    after: { ...ready, reason: "RouteNotAccepted", message: "No" },
    told: ["Normal InstanceHealthy: All containers are ready again"],
  },
  {
    name: "unhealthy",
    before: ready,
    after: { ...ready, reason: "ContainerCrashes", message: "It ends" },
    told: ["Warning InstanceUnhealthy: It ends"],
  },
  {
    name: "healthy again",
    before: { ...ready, reason: "ContainerCrashes", message: "It ends" },
    after: ready,
    told: ["Normal InstanceHealthy: All containers are ready again"],
  },
  {
    name: "stuck at the start",
    before: { phase: "Starting", reason: "ImageCannotBePulled" },
    after: { phase: "Failed", reason: "ImageCannotBePulled", message: "No image" },
    told: ["Warning InstanceFailed: No image"],
  },
  {
    name: "stuck at the start, and ready at last",
    before: { phase: "Failed", reason: "ImageCannotBePulled", message: "No image" },
    after: ready,
    told: ["Normal InstanceReady: Instance ready and accessible"],
  },
  {
    name: "stuck while it ran",
    before: { ...ready, reason: "ContainerCrashes", message: "It ends" },
    after: { ...ready, phase: "Failed", reason: "ContainerCrashes", message: "It ends" },
    told: ["Warning InstanceFailed: It ends"],
  },
  {
    name: "no longer stuck, and not well yet",
    before: { ...ready, phase: "Failed", reason: "ContainerCrashes", message: "It ends" },
    after: { ...ready, reason: "WaitingForPods", message: "Waiting" },
    told: [],
  },
  {
    name: "no longer stuck, and starting",
    before: { phase: "Failed", reason: "ImageCannotBePulled", message: "No image" },
    after: { phase: "Starting", reason: "ContainerCrashes", message: "It ends" },
    told: [],
  },
  {
    name: "no longer stuck, and well",
    before: { ...ready, phase: "Failed", reason: "ContainerCrashes", message: "It ends" },
    after: ready,
    told: ["Normal InstanceHealthy: All containers are ready again"],
  },
  {
    name: "waiting",
    after: { phase: "Pending", reason: "CapacityReached", message: "All places are taken" },
    told: ["Normal InstanceWaiting: All places are taken"],
  },
  {
    name: "Challenge missing",
    after: { phase: "Failed", reason: "ChallengeMissing", message: "Challenge x not found" },
    told: ["Warning ChallengeMissing: Challenge x not found"],
  },
  {
    name: "flag missing",
    after: { phase: "Failed", reason: "FlagMissing", message: "Flag required" },
    told: ["Warning FlagMissing: Flag required"],
  },
  {
    name: "failed otherwise",
    after: { phase: "Failed", reason: "OwnerBusy", message: "Another one" },
    told: ["Warning InstanceFailed: Another one"],
  },
  {
    name: "terminating",
    before: ready,
    after: { phase: "Terminating", terminationReason: "Timeout", expiresSoon: true },
    told: ["Normal InstanceTerminating: Terminating due to the end of its time"],
  },
  {
    name: "terminated after that",
    before: { phase: "Terminating", terminationReason: "Timeout" },
    after: { phase: "Terminated", terminationReason: "Timeout" },
    told: [],
  },
  {
    name: "terminated at once",
    before: { phase: "Failed", reason: "OwnerBusy" },
    after: { phase: "Terminated", terminationReason: "UserRequest" },
    told: ["Normal InstanceTerminating: Terminating due to the request of its owner"],
  },
  {
    name: "renewed",
    before: { ...ready, renewals: 0, history: [started] },
    after: {
      ...ready,
      renewals: 1,
      history: [started, { ...started, reason: "Renewed", message: "Renewed (1 of 3)" }],
    },
    told: ["Normal InstanceRenewed: Renewed (1 of 3)"],
  },
  {
    name: "not renewed",
    before: { ...ready, renewals: 3, history: [started] },
    after: { ...ready, renewals: 4, history: [started, { ...started, reason: "RenewalRefused", message: "Used up" }] },
    told: ["Warning RenewalRefused: Used up"],
  },
  {
    name: "the end moved nearer",
    before: { ...ready, history: [started] },
    after: { ...ready, history: [started, { ...started, reason: "Limited", message: "Earlier" }] },
    told: ["Warning InstanceExpiryMoved: Earlier"],
  },
  {
    name: "the time counted anew",
    before: { phase: "Creating", history: [started] },
    after: { phase: "Creating", history: [started, { ...started, reason: "Admitted", message: "From now" }] },
    told: ["Normal InstanceExpiryMoved: From now"],
  },
  {
    name: "expiring soon",
    before: { ...ready, expiresSoon: false },
    after: { ...ready, expiresSoon: true, expiresAt: "2026-10-01T14:00:00Z" },
    told: ["Warning InstanceExpiringSoon: This instance ends at 2026-10-01T14:00:00Z"],
  },
  {
    name: "policy kind missing",
    after: condition("NetworkPolicyCreated", "KindMissing"),
    told: ["Warning KindMissing: Why"],
  },
  ...(["Pending", "Creating", "Starting"] as const).map((phase) => ({
    name: `policy kind missing while ${phase}, once`,
    before: { phase },
    after: { phase, reason: "KindMissing", message: "Why", ...condition("NetworkPolicyCreated", "KindMissing") },
    told: ["Warning KindMissing: Why"],
  })),
  { name: "route kind missing", after: condition("RoutesCreated", "KindMissing"), told: ["Warning KindMissing: Why"] },
  {
    name: "route not accepted",
    after: condition("RoutesCreated", "RouteNotAccepted"),
    told: ["Warning RouteNotAccepted: Why"],
  },
  {
    name: "namespace stuck",
    after: condition("NamespaceDeleted", "NamespaceStuck"),
    told: ["Warning NamespaceStuck: Why"],
  },
];

describe("people are told once:", () => {
  test.each(cases)("$name", ({ before, after, told }) => {
    const texts = eventsOf(before, after).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    expect(texts).toEqual(told);
    expect(eventsOf(after, after)).toEqual([]);
  });
});
