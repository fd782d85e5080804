/** What the CRD of Challenge accepts and refuses, one case a constraint: a long table, to be read by the line. */
import { type Body, type Case, type Fields, repeated } from "./case.ts";

const challenge = (spec: Fields = {}): Body => ({ spec });
const withContainer = (fields: Fields = {}) =>
  challenge({ containers: [{ hostname: "web", image: "web:1", ...fields }] });
const withPort = (fields: Fields) => withContainer({ ports: [fields] });
const withFlag = (dynamicFlag: Fields) => withContainer({ dynamicFlag });

export const fullChallengeSpec = {
  displayName: "Web",
  author: "ada",
  owners: ["0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d", "https://login.example.com#ada"],
  description: "<b>hack me</b>",
  flag: "flag{x}",
  flags: [
    { type: "static", content: "flag{y}", caseInsensitive: true },
    { type: "regex", content: "flag\\{z+\\}", caseInsensitive: false },
  ],
  flagFormat: "flag{...}",
  dynamicFlagMode: "leetify",
  hideUntil: "2025-10-01T18:00:00+02:00",
  closesAt: "2025-10-02T18:00:00+02:00",
  prerequisites: ["sanity-check"],
  hints: [{ name: "first", title: "Where to begin", content: "Look at the cookie.", cost: 50 }],
  scoring: { formula: "quadratic", maximum: 1000, minimum: 50, solvesBeforeMinimum: 30, bonuses: [30, 20, 10] },
  difficulty: "easy",
  categories: ["web"],
  tags: ["xss"],
  event: "Demo CTF",
  staticValue: 500.5,
  timeout: "30m",
  until: "2026-10-01T20:00:00Z",
  allowOutboundTraffic: true,
  connectionInfo: "nc pwn.example.com 1337",
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
          owners: [],
          flags: [],
          dynamicFlagMode: "suffix",
          prerequisites: [],
          hints: [],
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
  ["an owner without a name", challenge({ owners: [""] }), { wantRefused: ["spec.owners[0]"] }],
  ["an owner of 513 characters", challenge({ owners: ["o".repeat(513)] }), { wantRefused: ["spec.owners[0]"] }],
  ["65 owners", challenge({ owners: repeated(65, (i) => `o${i}`) }), { wantRefused: ["spec.owners"] }],
  [
    "an address of 1025 characters",
    challenge({ connectionInfo: "n".repeat(1025) }),
    { wantRefused: ["spec.connectionInfo"] },
  ],
  [
    "an additional flag and a hint left to their defaults",
    challenge({ flags: [{ content: "x" }], hints: [{ name: "a", content: "y" }] }),
    {
      wantStored: {
        spec: {
          flags: [{ type: "static", content: "x", caseInsensitive: false }],
          hints: [{ name: "a", title: "", content: "y", cost: 0 }],
        },
      },
    },
  ],
  ["an additional flag without content", challenge({ flags: [{}] }), { wantRefused: ["spec.flags[0].content"] }],
  ["an empty additional flag", challenge({ flags: [{ content: "" }] }), { wantRefused: ["spec.flags[0].content"] }],
  [
    "an additional flag of 1025 characters",
    challenge({ flags: [{ content: "f".repeat(1025) }] }),
    { wantRefused: ["spec.flags[0].content"] },
  ],
  [
    "another type of flag",
    challenge({ flags: [{ type: "glob", content: "x" }] }),
    { wantRefused: ["spec.flags[0].type"] },
  ],
  ["33 flags", challenge({ flags: repeated(33, (i) => ({ content: `${i}` })) }), { wantRefused: ["spec.flags"] }],
  [
    "two hints of one name",
    challenge({ hints: repeated(2, () => ({ name: "a", content: "x" })) }),
    { wantRefused: ["spec.hints[1]"] },
  ],
  ["a hint without a name", challenge({ hints: [{ content: "x" }] }), { wantRefused: ["spec.hints[0].name"] }],
  ["a hint without content", challenge({ hints: [{ name: "a" }] }), { wantRefused: ["spec.hints[0].content"] }],
  [
    "a hint that gives points",
    challenge({ hints: [{ name: "a", content: "x", cost: -1 }] }),
    { wantRefused: ["spec.hints[0].cost"] },
  ],
  ["a prerequisite in upper case", challenge({ prerequisites: ["Web"] }), { wantRefused: ["spec.prerequisites[0]"] }],
  ["the end of submissions as a date", challenge({ closesAt: "2025-10-01" }), { wantRefused: ["spec.closesAt"] }],
  [
    "one field of the scoring",
    challenge({ scoring: { maximum: 50 } }),
    { wantStored: { spec: { scoring: { maximum: 50 } } } },
  ],
  ["another formula", challenge({ scoring: { formula: "cubic" } }), { wantRefused: ["spec.scoring.formula"] }],
  [
    "a minimum over the maximum",
    challenge({ scoring: { minimum: 2, maximum: 1 } }),
    { wantRefused: ["spec.scoring.minimum"] },
  ],
  ["a tag that is a number", challenge({ tags: [1] }), { wantRefused: ["spec.tags[0]"] }],
  ["null among the tags", challenge({ tags: [null] }), { wantRefused: ["spec.tags[0]"] }],
];

export const challengeCases: Case[] = challenges.map(
  ([name, write, want]): Case => ({ name: `a challenge: ${name}`, kind: "Challenge", write, ...want }),
);
