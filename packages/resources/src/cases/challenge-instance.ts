/** What the CRD of ChallengeInstance accepts and refuses, one case a constraint. */
import { type Body, type Case, type Fields, repeated } from "./case.ts";

export const ownerId = "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d";
const otherId = "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3e";

const instance = (spec: Fields = {}, status?: Fields): Body => ({
  spec: { challengeRef: { name: "web" }, ownerId, ...spec },
  ...(status && { status }),
});

export const fullInstanceSpec = {
  challengeRef: { name: "web.easy", namespace: "ctf" },
  ownerId,
  flag: "flag{x}",
  timeout: "1h30m5s",
  until: "2026-10-01T20:00:00.5+02:00",
  renewals: 1,
  restarts: 1,
  terminationReason: "Failure",
};

const instanceSpecs: [string, Fields, Partial<Case>?][] = [
  ["the least that an instance needs", {}, { wantStored: { spec: { renewals: 0, restarts: 0 } } }],
  ["everything an instance can hold", fullInstanceSpec, { wantStored: { spec: fullInstanceSpec } }],
  ["a reference with an empty namespace", { challengeRef: { name: "web", namespace: "" } }],
  ["no reference", { challengeRef: undefined }, { wantRefused: ["spec.challengeRef"] }],
  ["a reference without a name", { challengeRef: {} }, { wantRefused: ["spec.challengeRef.name"] }],
  ["a reference with an empty name", { challengeRef: { name: "" } }, { wantRefused: ["spec.challengeRef.name"] }],
  ["a name that is a path", { challengeRef: { name: "../web" } }, { wantRefused: ["spec.challengeRef.name"] }],
  ["a name of 64 characters", { challengeRef: { name: "a".repeat(64) } }],
  ["a name of 65 characters", { challengeRef: { name: "a".repeat(65) } }, { wantRefused: ["spec.challengeRef.name"] }],
  ["no owner", { ownerId: undefined }, { wantRefused: ["spec.ownerId"] }],
  ["null for an owner", { ownerId: null }, { wantRefused: ["spec.ownerId"] }],
  ["an owner in upper case", { ownerId: ownerId.toUpperCase() }, { wantRefused: ["spec.ownerId"] }],
  ["an owner followed by a line feed", { ownerId: `${ownerId}\n` }, { wantRefused: ["spec.ownerId"] }],
  ["a number for an owner", { ownerId: 7 }, { wantRefused: ["spec.ownerId"] }],
  ["a flag of 1024 characters beyond the basic plane", { flag: "🚩".repeat(1024) }],
  ["a flag of 1025 characters", { flag: "f".repeat(1025) }, { wantRefused: ["spec.flag"] }],
  ["a flag with NUL", { flag: "flag{\0}" }, { wantRefused: ["spec.flag"] }],
  ["an empty timeout", { timeout: "" }],
  ["a timeout of nothing, which the controller reports", { timeout: "0s" }],
  ["an absurd timeout, which the controller reports", { timeout: "99999999h" }],
  ["a timeout in days", { timeout: "1d" }, { wantRefused: ["spec.timeout"] }],
  ["a timeout in the wrong order", { timeout: "30m1h" }, { wantRefused: ["spec.timeout"] }],
  ["null for a timeout", { timeout: null }],
  ["an until without a zone", { until: "2026-10-01T20:00:00" }, { wantRefused: ["spec.until"] }],
  ["an until on a day that no year has", { until: "2026-02-30T20:00:00Z" }, { wantRefused: ["spec.until"] }],
  [
    "an until with an offset that no place has",
    { until: "2026-10-01T20:00:00+99:00" },
    { wantRefused: ["spec.until"] },
  ],
  ["a list for an until", { until: [] }, { wantRefused: ["spec.until"] }],
  ["a list with a time for an until", { until: ["2026-10-01T20:00:00Z"] }, { wantRefused: ["spec.until"] }],
  ["an empty until", { until: "" }, { wantRefused: ["spec.until"] }],
  ["a renewal below zero", { renewals: -1 }, { wantRefused: ["spec.renewals"] }],
  ["half a renewal", { renewals: 0.5 }, { wantRefused: ["spec.renewals"] }],
  ["a restart below zero", { restarts: -1 }, { wantRefused: ["spec.restarts"] }],
  ["more restarts than anybody needs", { restarts: 1_000_001 }, { wantRefused: ["spec.restarts"] }],
  ["another reason to end", { terminationReason: "Bored" }, { wantRefused: ["spec.terminationReason"] }],
  ["a field that does not exist", { flags: "x" }, { wantRefused: ["spec.flags"] }],
];

const instanceChanges: [string, Fields, Fields, string[]?][] = [
  ["nothing changes", { flag: "f", timeout: "1h", renewals: 2 }, { flag: "f", timeout: "1h", renewals: 2 }],
  ["another owner", {}, { ownerId: otherId }, ["spec.ownerId"]],
  ["another challenge", {}, { challengeRef: { name: "pwn" } }, ["spec.challengeRef"]],
  ["the challenge in another namespace", {}, { challengeRef: { name: "web", namespace: "x" } }, ["spec.challengeRef"]],
  ["a first flag", {}, { flag: "f" }],
  ["a flag after an empty one", { flag: "" }, { flag: "f" }],
  ["another flag", { flag: "f" }, { flag: "g" }, ["spec.flag"]],
  ["the flag goes", { flag: "f" }, {}, ["spec.flag"]],
  ["a renewal", { renewals: 1 }, { renewals: 2 }],
  ["a renewal taken back", { renewals: 2 }, { renewals: 1 }, ["spec.renewals"]],
  ["renewals left out", { renewals: 2 }, {}, ["spec.renewals"]],
  ["a restart", { restarts: 1 }, { restarts: 2 }],
  ["a restart taken back", { restarts: 2 }, { restarts: 1 }, ["spec.restarts"]],
  ["restarts left out", { restarts: 2 }, {}, ["spec.restarts"]],
  ["another timeout and until", { timeout: "1h" }, { timeout: "2h", until: "2026-10-01T20:00:00Z" }],
  ["a reason to end", {}, { terminationReason: "UserRequest" }],
];

const at = "2026-10-01T20:00:00Z";
const conditions = (...types: string[]) => types.map((type) => ({ type, status: "True" }));

export const fullStatus = {
  observedGeneration: 1,
  phase: "Running",
  reason: "PodsReady",
  message: "all containers are ready",
  instanceId: ownerId,
  namespace: `challenge-${ownerId}`,
  services: [{ name: "web", hostname: "a.example.com", port: 443, protocol: "TCP", appProtocol: "http", tls: true }],
  startedAt: at,
  readyAt: at,
  expiresAt: at,
  expiresSoon: false,
  renewals: 1,
  restarts: 1,
  history: [
    { at, expiresAt: at, reason: "Renewed", message: "renewed once" },
    { at, reason: "Started" },
  ],
  terminatedAt: at,
  terminationReason: "Timeout",
  conditions: [
    { type: "PodsReady", status: "True", observedGeneration: 1, lastTransitionTime: at, reason: "Ready", message: "" },
  ],
  runtime: {
    state: "STOPPED",
    reservedUntil: at,
    stoppedAt: "2026-10-01T20:00:00.123000Z",
    pods: [{ container: "web", podUid: ownerId, restarts: 1, replaced: 0 }],
  },
};

const pod = { container: "web", podUid: ownerId, restarts: 0, replaced: 0 };
const runtime = (...pods: object[]) => ({ runtime: { state: "RUNNING", pods } });
const service = { name: "web", hostname: "a.example.com", port: 443 };

const statuses: [string, Fields, Fields | undefined, string[]?][] = [
  ["everything a status can hold", {}, fullStatus],
  ["an empty status", {}, {}],
  ["a status taken away", { phase: "Pending" }, undefined, ["status"]],
  ["another phase", {}, { phase: "Sleeping" }, ["status.phase"]],
  ["an id that is no UUID", {}, { instanceId: "1" }, ["status.instanceId"]],
  ["a first id", { phase: "Pending" }, { phase: "Pending", instanceId: ownerId, startedAt: at }],
  ["the same id", { instanceId: ownerId, startedAt: at }, { instanceId: ownerId, startedAt: at }],
  ["another id", { instanceId: ownerId }, { instanceId: otherId }, ["status.instanceId"]],
  ["the id goes", { instanceId: ownerId }, {}, ["status.instanceId"]],
  ["another start", { startedAt: at }, { startedAt: "2026-10-01T20:00:01Z" }, ["status.startedAt"]],
  ["another expiry", { expiresAt: at }, { expiresAt: "2026-10-01T21:00:00Z" }],
  [
    "a boolean as a condition's status",
    {},
    { conditions: [{ type: "A", status: true }] },
    ["status.conditions[0].status"],
  ],
  ["a condition without a type", {}, { conditions: [{ status: "True" }] }, ["status.conditions[0].type"]],
  ["a condition twice", {}, { conditions: conditions("A", "B", "A") }, ["status.conditions[2]"]],
  ["33 conditions", {}, { conditions: conditions(...repeated(33, (i) => `C${i}`)) }, ["status.conditions"]],
  ["another state of its running", {}, { runtime: { state: "Running" } }, ["status.runtime.state"]],
  ["pods of two containers", {}, runtime(pod, { ...pod, container: "db" })],
  ["a container twice", {}, runtime(pod, pod), ["status.runtime.pods[1]"]],
  ["less than no restarts", {}, runtime({ ...pod, restarts: -1 }), ["status.runtime.pods[0].restarts"]],
  ["a pod without a UID", {}, runtime({ ...pod, podUid: "" }), ["status.runtime.pods[0].podUid"]],
  ["65 pods", {}, runtime(...repeated(65, (i) => ({ ...pod, container: `c${i}` }))), ["status.runtime.pods"]],
  ["33 changes of expiry", {}, { history: repeated(33, () => ({ at, reason: "Renewed" })) }, ["status.history"]],
  ["a change of expiry without a time", {}, { history: [{ reason: "Renewed" }] }, ["status.history[0].at"]],
  ["less than no answered restarts", {}, { restarts: -1 }, ["status.restarts"]],
  ["port 0", {}, { services: [{ ...service, port: 0 }] }, ["status.services[0].port"]],
  ["a protocol in lower case", {}, { services: [{ ...service, protocol: "tcp" }] }, ["status.services[0].protocol"]],
  ["a service without a hostname", {}, { services: [{ name: "web", port: 1 }] }, ["status.services[0].hostname"]],
  ["a message of 4097 characters", {}, { message: "m".repeat(4097) }, ["status.message"]],
];

export const challengeInstanceCases: Case[] = [
  ...instanceSpecs.map(
    ([name, spec, want]): Case => ({ name, kind: "ChallengeInstance", write: instance(spec), ...want }),
  ),
  ...instanceChanges.map(
    ([name, before, spec, wantRefused = []]): Case => ({
      name: `a change: ${name}`,
      kind: "ChallengeInstance",
      before: instance(before),
      write: instance(spec),
      wantRefused,
    }),
  ),
  ...statuses.map(
    ([name, before, status, wantRefused = []]): Case => ({
      name: `a status: ${name}`,
      kind: "ChallengeInstance",
      before: instance({}, before),
      write: { ...instance(), status },
      wantRefused,
    }),
  ),
];
