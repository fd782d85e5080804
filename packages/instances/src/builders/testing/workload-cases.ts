/** Workloads of every kind: `workloads.test.ts` keeps what is made of them, `workloads.real.test.ts` puts it to a server. */
import type { ChallengeContainer, DynamicFlag } from "@berg/resources";
import type { Blueprint } from "../blueprint.ts";
import { blueprintOf, containerOf } from "./blueprints.ts";

const everything = containerOf(
  "web",
  [
    { port: 8080, name: "web", appProtocol: "http", type: "publicHttpRoute" },
    { port: 22, name: "ssh", protocol: "TCP", type: "publicPort" },
    { port: 5000, name: "a-name-of-more-than-15-characters" },
  ],
  {
    environment: { DEBUG: true, PORT: 8080, GREETING: "hello", EMPTY: null },
    dynamicFlag: { content: { path: "/home/ctf/{entropy}.txt", mode: "0440" } },
    resourceLimits: { cpu: 2, memory: "1024Mi", "ephemeral-storage": "2G" },
    resourceRequests: { cpu: "0.25", memory: "1e8" },
    readinessProbe: {
      httpGet: { path: "", port: "web", scheme: "HTTP", host: "", httpHeaders: [{ name: "Host", value: "", x: 1 }] },
      initialDelaySeconds: 0,
      timeoutSeconds: null,
      periodSeconds: 5,
      failureThreshold: 20,
      hostPath: "/",
    },
    livenessProbe: { exec: { command: ["/bin/true", ""] }, timeoutSeconds: 3, successThreshold: 0 },
    additionalCapabilities: ["SYS_CHROOT", "NET_BIND_SERVICE", "SYS_CHROOT"],
    runtimeClassName: "gvisor",
    egressBandwidth: "1M",
    ingressBandwidth: "2M",
  },
);

const severalContainers = [
  containerOf("web", [{ port: 80, name: "web", type: "publicHttpRoute" }, { port: 9000 }], {
    readinessProbe: { tcpSocket: { port: "web", host: "" } },
  }),
  containerOf("pwn", [
    { port: 1337, name: "pwn", type: "publicPort" },
    { port: 443, name: "admin-panel", type: "publicTlsRoute" },
  ]),
  containerOf("db", [{ port: 5432, name: "db" }], {
    livenessProbe: { grpc: { port: 5432, service: "" }, terminationGracePeriodSeconds: 5 },
  }),
];

export const content: DynamicFlag = { content: { path: "/flag.txt" } };
export const executable: DynamicFlag = { executable: { path: "/usr/bin/get-flag" } };
export const env: DynamicFlag = { env: { name: "FLAG" } };

export const flagged = (hostname: string, dynamicFlag: DynamicFlag, rest: Partial<ChallengeContainer> = {}) =>
  containerOf(hostname, [], { dynamicFlag, ...rest });

export function withFlag(blueprint: Blueprint, flag: string): Blueprint {
  return { ...blueprint, instance: { ...blueprint.instance, flag } };
}

/** By the name of the file in which what is made of them is kept. */
export const workloadCases: Record<string, Blueprint> = {
  minimal: blueprintOf({ containers: [containerOf("web")] }),
  everything: blueprintOf({
    containers: [everything],
    challengeName: "an-unusually-long-name-of-a-challenge-that-does-not-fit-into-a-label",
    settings: { pullSecretName: "registry", imagePullPolicy: "Always" },
  }),
  "several-containers": blueprintOf({ containers: severalContainers }),
  "flag-env": blueprintOf({ containers: [flagged("web", env)] }),
  "flag-content": blueprintOf({ containers: [flagged("web", content)] }),
  "flag-executable": blueprintOf({ containers: [flagged("web", executable)] }),
  "flag-executable-aarch64": blueprintOf({
    containers: [flagged("web", executable)],
    settings: { architecture: "aarch64" },
  }),
  "flags-of-several-kinds": blueprintOf({
    containers: [
      flagged("web", content),
      flagged("pwn", { executable: { path: "/get-{entropy}", mode: 0o511 } }),
      flagged("api", env),
      flagged("db", { content: { path: "/root/secret", mode: 0 } }),
      containerOf("bot"),
    ],
  }),
  "flag-in-secrets": blueprintOf({
    containers: [flagged("web", content), flagged("pwn", executable)],
    settings: { flagStorage: "Secret" },
  }),
  "flag-not-set": withFlag(blueprintOf({ containers: [flagged("web", env), flagged("pwn", content)] }), ""),
  "disruption-allowed": blueprintOf({ containers: [containerOf("web")], settings: { disruption: "allow" } }),
  "runtime-class": blueprintOf({
    containers: [containerOf("web"), containerOf("vm", [], { runtimeClassName: "gvisor" })],
    settings: { runtimeClassName: "kata" },
  }),
  "capabilities-beyond-baseline": blueprintOf({
    containers: [flagged("web", executable, { additionalCapabilities: ["NET_ADMIN"] })],
  }),
  "dac-override-added": blueprintOf({
    containers: [flagged("web", executable, { additionalCapabilities: ["DAC_OVERRIDE"] })],
  }),
  "dollars-in-values": withFlag(
    blueprintOf({
      containers: [flagged("web", env, { environment: { PRICE: "$(HOME) costs $5", ESCAPED: "$$(HOME)" } })],
    }),
    "flag{$(PATH)_$$_$}",
  ),
  "names-given-twice": blueprintOf({
    containers: [
      containerOf(
        "web",
        [
          { port: 80, name: "web" },
          { port: 81, name: "web" },
          { port: 82, name: "db" },
        ],
        {
          environment: { CHALLENGE_NAMESPACE: "mine", WEB_ENDPOINT: "mine", DB_ENDPOINT: "mine" },
          dynamicFlag: { env: { name: "WEB_ENDPOINT" } },
        },
      ),
    ],
  }),
  "udp-and-tcp-on-one-number": blueprintOf({
    containers: [
      containerOf("web", [
        { port: 53, name: "dns", protocol: "udp" },
        { port: 53, name: "dns", protocol: "tcp" },
        { port: 53, name: "again", protocol: "TCP" },
      ]),
    ],
  }),
};
