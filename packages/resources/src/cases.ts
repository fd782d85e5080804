/**
 * What the CRDs accept and refuse, one case a constraint. `validate.test.ts` puts the cases to our own validation and
 * `crds.real.test.ts` to a real API server: where the two disagree, one of them lies to an author.
 */
export interface Case {
  name: string;
  kind: "Challenge" | "ChallengeInstance";
  /** What is stored already; without it the case creates. */
  before?: Body;
  /** With a status, it is the status that is written. */
  write: Body;
  /** The fields that are refused. None: the write is accepted. */
  wantRefused?: string[];
  /** Part of what is stored. */
  wantStored?: object;
}

export interface Body {
  spec?: unknown;
  status?: unknown;
}

type Fields = Record<string, unknown>;

export const ownerId = "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d";
const otherId = "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3e";

const instance = (spec: Fields = {}, status?: Fields): Body => ({
  spec: { challengeRef: { name: "web" }, ownerId, ...spec },
  ...(status && { status }),
});

const challenge = (spec: Fields = {}): Body => ({ spec });
const withContainer = (fields: Fields = {}) =>
  challenge({ containers: [{ hostname: "web", image: "web:1", ...fields }] });
const withPort = (fields: Fields) => withContainer({ ports: [fields] });
const withFlag = (dynamicFlag: Fields) => withContainer({ dynamicFlag });

const repeated = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));

export const fullInstanceSpec = {
  challengeRef: { name: "web.easy", namespace: "ctf" },
  ownerId,
  flag: "flag{x}",
  timeout: "1h30m5s",
  until: "2026-10-01T20:00:00.5+02:00",
  renewals: 1,
  terminationReason: "Failure",
};

const instanceSpecs: [string, Fields, Partial<Case>?][] = [
  ["the least that an instance needs", {}, { wantStored: { spec: { renewals: 0 } } }],
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
  ["port 0", {}, { services: [{ ...service, port: 0 }] }, ["status.services[0].port"]],
  ["a protocol in lower case", {}, { services: [{ ...service, protocol: "tcp" }] }, ["status.services[0].protocol"]],
  ["a service without a hostname", {}, { services: [{ name: "web", port: 1 }] }, ["status.services[0].hostname"]],
  ["a message of 4097 characters", {}, { message: "m".repeat(4097) }, ["status.message"]],
];

export const fullChallengeSpec = {
  displayName: "Web",
  author: "ada",
  description: "<b>hack me</b>",
  flag: "flag{x}",
  flagFormat: "flag{...}",
  dynamicFlagMode: "leetify",
  hideUntil: "2025-10-01T18:00:00+02:00",
  difficulty: "easy",
  categories: ["web"],
  tags: ["xss"],
  event: "Demo CTF",
  staticValue: 500.5,
  timeout: "30m",
  until: at,
  allowOutboundTraffic: true,
  containers: [
    {
      hostname: "web",
      image: "registry.example.com:5000/web:1@sha256:00",
      environment: { PORT: 8080, RATIO: 0.5, DEBUG: true, NAME: "x", EMPTY: null },
      ports: [
        { name: "web", port: 8080, protocol: "tcp", appProtocol: "http", type: "publicHttpRoute" },
        { port: 53, protocol: "udp" },
        { port: 53, protocol: "TCP" },
      ],
      dynamicFlag: { content: { path: "/home/ctf/{entropy}.txt", mode: 0o444 } },
      resourceRequests: { cpu: "100m", memory: "64Mi" },
      resourceLimits: { cpu: 1, memory: "0.5Gi", "ephemeral-storage": "1Gi" },
      readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
      livenessProbe: { exec: { command: ["true"] } },
      additionalCapabilities: ["NET_ADMIN"],
      runtimeClassName: "gvisor",
      egressBandwidth: "10M",
      ingressBandwidth: "",
    },
  ],
  attachments: [
    {
      fileName: "web.tar.gz",
      downloadUrl: "/handouts/web.tar.gz",
      downloadImage: "registry.example.com/handouts/web:1",
      downloadImagePullSecret: "pull",
      downloadImageInsecure: false,
    },
  ],
};

const emptyContainer = { environment: {}, ports: [], additionalCapabilities: [] };

const challenges: [string, Body, Partial<Case>?][] = [
  ["everything a challenge can hold", challenge(fullChallengeSpec), { wantStored: { spec: fullChallengeSpec } }],
  [
    "an empty spec",
    challenge(),
    {
      wantStored: {
        spec: {
          dynamicFlagMode: "suffix",
          categories: [],
          tags: [],
          allowOutboundTraffic: false,
          containers: [],
          attachments: [],
        },
      },
    },
  ],
  ["no spec", {}, { wantRefused: ["spec"] }],
  ["the least that a container needs", withContainer(), { wantStored: { spec: { containers: [emptyContainer] } } }],
  [
    "null for whatever may be left out",
    challenge({
      ...Object.fromEntries(Object.keys(fullChallengeSpec).map((name) => [name, null])),
      containers: [
        {
          ...Object.fromEntries(Object.keys(fullChallengeSpec.containers[0] ?? {}).map((name) => [name, null])),
          hostname: "web",
          image: "web:1",
          dynamicFlag: { env: null, content: { path: "/flag", mode: null }, executable: null },
          resourceLimits: { cpu: null, memory: null },
        },
      ],
    }),
    {
      wantStored: {
        spec: { tags: [], containers: [{ ...emptyContainer, dynamicFlag: { content: { path: "/flag" } } }] },
      },
    },
  ],
  [
    "a container without a hostname",
    challenge({ containers: [{ image: "x" }] }),
    { wantRefused: ["spec.containers[0].hostname"] },
  ],
  [
    "a container without an image",
    challenge({ containers: [{ hostname: "x" }] }),
    { wantRefused: ["spec.containers[0].image"] },
  ],
  ["an empty image", withContainer({ image: "" }), { wantRefused: ["spec.containers[0].image"] }],
  ["an image with a space", withContainer({ image: "a b" }), { wantRefused: ["spec.containers[0].image"] }],
  ["a hostname in upper case", withContainer({ hostname: "Web" }), { wantRefused: ["spec.containers[0].hostname"] }],
  [
    "a hostname that no Service could have",
    withContainer({ hostname: "1web" }),
    { wantRefused: ["spec.containers[0].hostname"] },
  ],
  [
    "a hostname of 64 characters",
    withContainer({ hostname: "a".repeat(64) }),
    { wantRefused: ["spec.containers[0].hostname"] },
  ],
  [
    "two containers of one hostname",
    challenge({ containers: repeated(2, () => ({ hostname: "web", image: "web:1" })) }),
    { wantRefused: ["spec.containers[1]"] },
  ],
  [
    "33 containers",
    challenge({ containers: repeated(33, (i) => ({ hostname: `c${i}`, image: "web:1" })) }),
    { wantRefused: ["spec.containers"] },
  ],
  [
    "an object in the environment",
    withContainer({ environment: { A: { b: 1 } } }),
    { wantRefused: ["spec.containers[0].environment.A"] },
  ],
  [
    "an empty object in the environment",
    withContainer({ environment: { A: {} } }),
    { wantRefused: ["spec.containers[0].environment.A"] },
  ],
  [
    "a list in the environment",
    withContainer({ environment: { A: ["b"] } }),
    { wantRefused: ["spec.containers[0].environment.A"] },
  ],
  [
    "an empty list in the environment",
    withContainer({ environment: { A: [] } }),
    { wantRefused: ["spec.containers[0].environment.A"] },
  ],
  [
    "513 environment variables",
    withContainer({ environment: Object.fromEntries(repeated(513, (i) => [`V${i}`, i])) }),
    { wantRefused: ["spec.containers[0].environment"] },
  ],
  [
    "a port left to its defaults",
    withPort({}),
    { wantStored: { spec: { containers: [{ ports: [{ port: 80, protocol: "tcp", type: "internalPort" }] }] } } },
  ],
  ["a protocol in any case", withPort({ protocol: "Udp" })],
  ["another protocol", withPort({ protocol: "sctp" }), { wantRefused: ["spec.containers[0].ports[0].protocol"] }],
  ["port 0", withPort({ port: 0 }), { wantRefused: ["spec.containers[0].ports[0].port"] }],
  ["port 65536", withPort({ port: 65536 }), { wantRefused: ["spec.containers[0].ports[0].port"] }],
  ["text for a port", withPort({ port: "80" }), { wantRefused: ["spec.containers[0].ports[0].port"] }],
  ["another type of port", withPort({ type: "public" }), { wantRefused: ["spec.containers[0].ports[0].type"] }],
  [
    "a port twice, once by its defaults",
    withContainer({ ports: [{ port: 80, protocol: "tcp" }, {}] }),
    { wantRefused: ["spec.containers[0].ports[1]"] },
  ],
  ["a flag in the environment", withFlag({ env: { name: "FLAG" } })],
  ["a flag in a program", withFlag({ executable: { path: "/readflag", mode: "0111" } })],
  ["a mode as the documentation writes it", withFlag({ content: { path: "/flag", mode: "0o444" } })],
  [
    "a mode over 0777",
    withFlag({ content: { path: "/flag", mode: 0o1000 } }),
    { wantRefused: ["spec.containers[0].dynamicFlag.content.mode"] },
  ],
  [
    "a mode below zero",
    withFlag({ content: { path: "/flag", mode: -1 } }),
    { wantRefused: ["spec.containers[0].dynamicFlag.content.mode"] },
  ],
  [
    "a mode that is not octal",
    withFlag({ content: { path: "/flag", mode: "0888" } }),
    { wantRefused: ["spec.containers[0].dynamicFlag.content.mode"] },
  ],
  [
    "a mode in words",
    withFlag({ content: { path: "/flag", mode: true } }),
    { wantRefused: ["spec.containers[0].dynamicFlag.content.mode"] },
  ],
  ["no way for the flag", withFlag({}), { wantRefused: ["spec.containers[0].dynamicFlag"] }],
  [
    "two ways for the flag",
    withFlag({ env: { name: "FLAG" }, content: { path: "/flag" } }),
    { wantRefused: ["spec.containers[0].dynamicFlag"] },
  ],
  [
    "a flag variable without a name",
    withFlag({ env: {} }),
    { wantRefused: ["spec.containers[0].dynamicFlag.env.name"] },
  ],
  [
    "a flag variable with '='",
    withFlag({ env: { name: "A=B" } }),
    { wantRefused: ["spec.containers[0].dynamicFlag.env.name"] },
  ],
  [
    "a flag file without a path",
    withFlag({ content: {} }),
    { wantRefused: ["spec.containers[0].dynamicFlag.content.path"] },
  ],
  [
    "a relative path",
    withFlag({ content: { path: "flag" } }),
    { wantRefused: ["spec.containers[0].dynamicFlag.content.path"] },
  ],
  [
    "a path that is a folder",
    withFlag({ content: { path: "/flag/" } }),
    { wantRefused: ["spec.containers[0].dynamicFlag.content.path"] },
  ],
  [
    "a memory of words",
    withContainer({ resourceLimits: { memory: "much" } }),
    { wantRefused: ["spec.containers[0].resourceLimits.memory"] },
  ],
  [
    "a cpu below zero",
    withContainer({ resourceLimits: { cpu: "-1" } }),
    { wantRefused: ["spec.containers[0].resourceLimits.cpu"] },
  ],
  [
    "a number below zero for cpu",
    withContainer({ resourceLimits: { cpu: -1 } }),
    { wantRefused: ["spec.containers[0].resourceLimits.cpu"] },
  ],
  [
    "a capability in lower case",
    withContainer({ additionalCapabilities: ["net_admin"] }),
    { wantRefused: ["spec.containers[0].additionalCapabilities[0]"] },
  ],
  ["text for a probe", withContainer({ livenessProbe: "yes" }), { wantRefused: ["spec.containers[0].livenessProbe"] }],
  [
    "a bandwidth of words",
    withContainer({ egressBandwidth: "fast" }),
    { wantRefused: ["spec.containers[0].egressBandwidth"] },
  ],
  [
    "a field of a container that does not exist",
    withContainer({ name: "web" }),
    { wantRefused: ["spec.containers[0].name"] },
  ],
  ["another way to make flags", challenge({ dynamicFlagMode: "prefix" }), { wantRefused: ["spec.dynamicFlagMode"] }],
  ["a date without a time", challenge({ hideUntil: "2025-10-01" }), { wantRefused: ["spec.hideUntil"] }],
  ["a timeout as a number", challenge({ timeout: 600 }), { wantRefused: ["spec.timeout"] }],
  [
    "text for outbound traffic",
    challenge({ allowOutboundTraffic: "yes" }),
    { wantRefused: ["spec.allowOutboundTraffic"] },
  ],
  ["a tag that is a number", challenge({ tags: [1] }), { wantRefused: ["spec.tags[0]"] }],
  ["null among the tags", challenge({ tags: [null] }), { wantRefused: ["spec.tags[0]"] }],
];

export const cases: Case[] = [
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
  ...challenges.map(
    ([name, write, want]): Case => ({ name: `a challenge: ${name}`, kind: "Challenge", write, ...want }),
  ),
];
