/** Pods, and Deployments, which hold the same. */
import fc from "fast-check";
import { few, type Kind, keyed, metadata, number, rarely, some, word, wordMap } from "./kind.ts";

const resources = rarely({
  limits: some({ cpu: fc.constantFrom("1", "500m", 2), memory: fc.constantFrom("1Gi", "1024Mi") }),
  requests: some({ cpu: fc.constantFrom("0.1", "100m", "3"), memory: fc.constantFrom("1Ki") }),
});

const probe = rarely({
  exec: fc.constantFrom({ command: ["a"] }),
  httpGet: fc.constantFrom({ port: 1 }, { port: "web", path: "/" }),
  tcpSocket: fc.constantFrom({ port: 1 }),
  periodSeconds: number,
  failureThreshold: number,
  successThreshold: number,
  terminationGracePeriodSeconds: number,
});

const container = {
  name: word,
  image: fc.constantFrom("a", "a:latest", "b:1"),
  command: fc.array(word, few),
  args: fc.array(word, few),
  env: keyed(["name"], { name: word, value: word }),
  ports: keyed(["containerPort", "protocol"], {
    containerPort: number,
    protocol: fc.constantFrom("TCP", "UDP"),
    name: fc.constantFrom("web", "dns"),
  }),
  resources,
  volumeMounts: keyed(["mountPath"], { mountPath: fc.constantFrom("/a", "/b"), name: word, readOnly: fc.boolean() }, [
    "name",
  ]),
  imagePullPolicy: fc.constantFrom("Always", "Never"),
  readinessProbe: probe,
  livenessProbe: probe,
  securityContext: rarely({
    privileged: fc.boolean(),
    runAsUser: fc.constantFrom(0, 1),
    allowPrivilegeEscalation: fc.boolean(),
    capabilities: fc.constantFrom({ drop: ["ALL"] }),
  }),
  workingDir: word,
  tty: fc.boolean(),
};

const volumes = keyed(
  ["name"],
  {
    name: word,
    emptyDir: fc.constantFrom({}, { medium: "Memory", sizeLimit: "1Mi" }),
    configMap: fc.constantFrom({ name: "a" }, { name: "a", items: [{ key: "a", path: "b" }], defaultMode: 256 }),
    secret: fc.constantFrom({ secretName: "a" }, { secretName: "a", optional: true }),
  },
  [],
);

const toleration = fc.constantFrom<object>(
  { operator: "Exists" },
  { key: "a", effect: "NoSchedule" },
  { key: "a", operator: "Equal", value: "b" },
);

const podSpec = {
  containers: keyed(["name"], container, ["image"]),
  initContainers: keyed(
    ["name"],
    { ...container, name: fc.constantFrom("i", "j"), restartPolicy: fc.constantFrom("Always") },
    ["image"],
  ),
  volumes,
  restartPolicy: fc.constantFrom("Always", "Never", "OnFailure"),
  terminationGracePeriodSeconds: fc.constantFrom(0, 1, 30),
  activeDeadlineSeconds: fc.constantFrom(5, 10, 0),
  nodeSelector: wordMap,
  nodeName: fc.constantFrom("n"),
  tolerations: fc.uniqueArray(toleration, few),
  serviceAccountName: fc.constantFrom("default", "nope"),
  automountServiceAccountToken: fc.boolean(),
  hostNetwork: fc.boolean(),
  hostname: word,
  subdomain: word,
  dnsPolicy: fc.constantFrom("Default", "None", "ClusterFirst"),
  enableServiceLinks: fc.boolean(),
  priorityClassName: fc.constantFrom("nope", "system-node-critical"),
  imagePullSecrets: fc.uniqueArray(word, few).map((names) => names.map((name) => ({ name }))),
  securityContext: rarely({ runAsUser: number, runAsNonRoot: fc.boolean(), fsGroup: number }),
  schedulingGates: fc
    .uniqueArray(fc.constantFrom("x.io/g", "x.io/h"), few)
    .map((names) => names.map((name) => ({ name }))),
  hostAliases: fc.constantFrom([{ ip: "1.2.3.4", hostnames: ["a"] }]),
  topologySpreadConstraints: fc.constantFrom([{ maxSkew: 1, topologyKey: "a", whenUnsatisfiable: "DoNotSchedule" }]),
};

const containers = [{ name: "a", image: "a" }];

export const pods: Kind = {
  resource: "pods",
  apiVersion: "v1",
  kind: "Pod",
  namespaced: true,
  base: { spec: { containers } },
  body: some({ metadata, spec: rarely(podSpec) }),
  status: rarely({
    phase: fc.constantFrom("Running", "Succeeded", "Failed"),
    podIP: fc.constantFrom("10.0.0.1", "odd"),
    podIPs: fc.constantFrom([{ ip: "10.0.0.1" }], []),
    message: word,
    observedGeneration: number,
    startTime: fc.constantFrom("2020-01-01T00:00:00Z"),
    conditions: keyed(
      ["type"],
      {
        type: fc.constantFrom("Ready", "x.io/own"),
        status: fc.constantFrom("True", "False"),
        message: word,
        observedGeneration: number,
      },
      ["status"],
    ),
    containerStatuses: fc.constantFrom(
      [{ name: "a", image: "a", imageID: "", ready: true, restartCount: 0, state: { running: {} } }],
      [],
    ),
    qosClass: fc.constantFrom("Burstable", "Guaranteed"),
  }),
};

export const deployments: Kind = {
  resource: "deployments",
  apiVersion: "apps/v1",
  kind: "Deployment",
  namespaced: true,
  base: {
    spec: {
      selector: { matchLabels: { x: "y" } },
      template: { metadata: { labels: { x: "y" } }, spec: { containers } },
    },
  },
  hasScale: true,
  body: some({
    metadata,
    spec: rarely({
      replicas: fc.constantFrom(0, 1, 2),
      minReadySeconds: number,
      progressDeadlineSeconds: fc.constantFrom(1, 2, 600),
      revisionHistoryLimit: number,
      paused: fc.boolean(),
      selector: fc.constantFrom(
        { matchLabels: { x: "y" } },
        { matchLabels: { x: "z" } },
        { matchExpressions: [{ key: "x", operator: "Exists" }] },
      ),
      strategy: some({
        type: fc.constantFrom("RollingUpdate", "Recreate"),
        rollingUpdate: some({ maxSurge: fc.constantFrom(0, 1, "50%"), maxUnavailable: fc.constantFrom(0, 1, "150%") }),
      }),
      template: some({
        metadata: some({ annotations: wordMap, labels: fc.constantFrom({ x: "y" }, { x: "y", a: "b" }, {}) }),
        spec: rarely(podSpec),
      }),
    }),
  }),
  status: rarely({
    observedGeneration: number,
    replicas: fc.constantFrom(0, 1, 2),
    readyReplicas: fc.constantFrom(0, 1, 2),
    availableReplicas: fc.constantFrom(0, 1, 2),
    updatedReplicas: fc.constantFrom(0, 1, 2),
    collisionCount: number,
    conditions: keyed(
      ["type"],
      {
        type: word,
        status: fc.constantFrom("True", "False"),
        message: word,
        lastTransitionTime: fc.constant("2020-01-01T00:00:00Z"),
      },
      ["status"],
    ),
  }),
};
