/** Manifests, good and bad, that a real API server and ours must judge alike. Named by what is special about them. */

type Json = Record<string, unknown>;

export interface Case {
  what: string;
  manifest: Json;
}

const meta = (more: Json = {}) => ({ name: "case", namespace: "default", ...more });
const c = (more: Json = {}) => ({ name: "a", image: "a:1", ...more });

export function pod(spec: Json = {}, metadata: Json = {}): Json {
  return { apiVersion: "v1", kind: "Pod", metadata: meta(metadata), spec: { containers: [c()], ...spec } };
}

const withContainer = (more: Json, spec: Json = {}) => pod({ containers: [c(more)], ...spec });
const withVolume = (source: Json, spec: Json = {}) => pod({ volumes: [{ name: "v", ...source }], ...spec });

export function deployment(spec: Json = {}, template: Json = {}): Json {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: meta(),
    spec: {
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: { containers: [c()], ...template } },
      ...spec,
    },
  };
}

export function replicaSet(spec: Json = {}): Json {
  return { ...deployment(spec), kind: "ReplicaSet" };
}

export function budget(spec: Json = {}): Json {
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: meta(), spec };
}

export function slice(more: Json = {}): Json {
  return { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: meta(), addressType: "IPv4", ...more };
}

export function node(spec: Json = {}, status: Json = {}, labels: Json = {}): Json {
  return { apiVersion: "v1", kind: "Node", metadata: { name: "case", labels }, spec, status };
}

export function revision(more: Json = {}): Json {
  return { apiVersion: "apps/v1", kind: "ControllerRevision", metadata: meta(), ...more };
}

const sha = "sha256:4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865";

const pods: Record<string, Json> = {
  "nothing but a container": pod(),
  "nothing at all": { apiVersion: "v1", kind: "Pod", metadata: meta() },
  "no containers": pod({ containers: [] }),
  "images of all sorts": pod({
    containers: [
      ["a", "web"],
      ["b", "web:latest"],
      ["c", "web:1"],
      ["d", `web@${sha}`],
      ["e", `web:latest@${sha}`],
      ["f", "host:5000/web"],
      ["g", "host:5000/web:latest"],
      ["h", "Web:latest"],
      ["i", "://"],
      ["j", "registry.example/a/b-c__d:v1.0-x"],
    ].map(([name, image]) => ({ name, image })),
  }),
  "empty values that say nothing": pod({
    containers: [
      c({ args: [], command: [], env: [{ name: "A", value: "" }], resources: {}, stdin: false, workingDir: "" }),
    ],
    hostNetwork: false,
    hostPID: false,
    nodeSelector: {},
    tolerations: [],
    volumes: [],
    hostname: "",
    affinity: {},
  }),
  "empty values that were chosen": pod({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 0,
    shareProcessNamespace: false,
    setHostnameAsFQDN: false,
    hostUsers: true,
    securityContext: { runAsNonRoot: false, runAsUser: 0, fsGroup: 0 },
    containers: [
      c({ securityContext: { privileged: false, readOnlyRootFilesystem: false, allowPrivilegeEscalation: false } }),
    ],
  }),
  "a privileged container": withContainer({
    securityContext: { privileged: true, capabilities: { add: ["NET_ADMIN"] } },
  }),
  "limits without requests": withContainer({ resources: { limits: { cpu: "500m", memory: "1Gi" } } }),
  "some limits, some requests": withContainer({
    resources: { limits: { cpu: 1, memory: "1.5Gi" }, requests: { cpu: 0.1, "ephemeral-storage": "1Gi" } },
  }),
  "amounts to be rounded": withContainer({
    resources: { limits: { cpu: "0.0001", memory: "1.1Ki" }, requests: { memory: "1.0001" } },
  }),
  guaranteed: withContainer({
    resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1000m", memory: "1024Mi" } },
  }),
  "guaranteed but for an init container": pod({
    containers: [c({ resources: { limits: { cpu: "1", memory: "1Gi" } } })],
    initContainers: [{ name: "i", image: "i" }],
  }),
  "requests of zero": withContainer({ resources: { requests: { cpu: "0" } } }),
  "a device": withContainer({ resources: { limits: { "example.com/gpu": 2 } } }),
  "huge pages": withContainer({ resources: { limits: { "hugepages-2Mi": "4Mi", cpu: 1 } } }),
  "resources of the pod": pod({
    containers: [
      c({ resources: { requests: { cpu: "100m" } } }),
      { name: "b", image: "b", resources: { requests: { cpu: "200m" } } },
    ],
    resources: { limits: { cpu: "1", memory: "1Gi" } },
  }),
  "resources of the pod, too small": pod({
    containers: [c({ resources: { requests: { cpu: "2" } } })],
    resources: { requests: { cpu: "1" }, limits: { cpu: "1" } },
  }),
  ports: withContainer({ ports: [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP", name: "dns" }] }),
  "ports on the node's network": pod({ hostNetwork: true, containers: [c({ ports: [{ containerPort: 80 }] })] }),
  "variables from everywhere": withContainer({
    env: [
      { name: "A", value: "1" },
      { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "C", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
      { name: "D", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: false } } },
      { name: "E", valueFrom: { configMapKeyRef: { name: "s", key: "k" } } },
      { name: "F", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
      { name: "odd name!", value: "$(A)" },
    ],
    envFrom: [{ prefix: "P_", configMapRef: { name: "c" } }, { secretRef: { name: "s", optional: true } }],
  }),
  "all probes": withContainer({
    livenessProbe: { httpGet: { port: 80 } },
    readinessProbe: { tcpSocket: { port: "http" }, periodSeconds: 3, successThreshold: 2 },
    startupProbe: { exec: { command: ["true"] }, failureThreshold: 30, initialDelaySeconds: 0 },
    lifecycle: { postStart: { httpGet: { port: 1, path: "/x", scheme: "HTTPS" } }, preStop: { sleep: { seconds: 5 } } },
  }),
  "a gRPC probe": withContainer({ livenessProbe: { grpc: { port: 80 } } }),
  "volumes of all sorts": pod({
    volumes: [
      { name: "a" },
      { name: "b", emptyDir: { medium: "Memory", sizeLimit: 1048576 } },
      { name: "c", secret: { secretName: "s", items: [{ key: "k", path: "p/q", mode: 256 }] } },
      { name: "d", configMap: { name: "c", defaultMode: 0 } },
      { name: "e", hostPath: { path: "/tmp" } },
      { name: "f", downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
      {
        name: "g",
        projected: {
          sources: [
            { secret: { name: "s" } },
            { configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
            {
              downwardAPI: {
                items: [{ path: "x", resourceFieldRef: { containerName: "a", resource: "limits.cpu", divisor: "1m" } }],
              },
            },
          ],
        },
      },
      { name: "h", persistentVolumeClaim: { claimName: "x" } },
      { name: "i", nfs: { server: "s", path: "/x" } },
      { name: "j", csi: { driver: "d.example.com" } },
      { name: "k", iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:storage", lun: 0 } },
      { name: "l", image: { reference: "img:1" } },
      {
        name: "m",
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        },
      },
      { name: "n", projected: {} },
    ],
    containers: [
      c({
        volumeMounts: [
          { name: "a", mountPath: "/a", readOnly: false },
          { name: "b", mountPath: "/b", subPath: "x" },
        ],
      }),
    ],
  }),
  "a token of a service account": withVolume(
    { projected: { sources: [{ serviceAccountToken: { path: "token" } }] } },
    { serviceAccountName: "robot" },
  ),
  "the old name of the service account": pod({ serviceAccount: "robot" }),
  "a sidecar": pod({
    initContainers: [{ name: "s", image: "s", restartPolicy: "Always", livenessProbe: { exec: { command: ["x"] } } }],
  }),
  "affinity, tolerations, spreading": pod(
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }],
          },
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              podAffinityTerm: {
                topologyKey: "kubernetes.io/hostname",
                labelSelector: {},
                matchLabelKeys: ["app"],
                mismatchLabelKeys: ["tier"],
              },
            },
          ],
        },
      },
      tolerations: [{ operator: "Exists" }, { key: "k", value: "v", effect: "NoExecute", tolerationSeconds: 0 }],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "zone",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { a: "b" } },
          matchLabelKeys: ["app", "none"],
        },
      ],
    },
    { labels: { app: "x", tier: "y" } },
  ),
  "held back": pod({ schedulingGates: [{ name: "example.com/wait" }] }),
  "host aliases and DNS": pod({
    hostAliases: [{ ip: "127.0.0.1", hostnames: ["a.b"] }],
    dnsPolicy: "None",
    dnsConfig: {
      nameservers: ["1.1.1.1"],
      searches: ["a_b.example", "."],
      options: [{ name: "ndots", value: "2" }, { name: "x" }],
    },
  }),
  "readiness gates": pod({ readinessGates: [{ conditionType: "example.com/ready" }] }),
  "a status that nobody may set": { ...pod(), status: { phase: "Running", podIP: "1.2.3.4" } },

  "bad names": pod({
    containers: [c({ name: "A_b" }), c({ name: "b.c" }), c({ name: "x".repeat(64) }), c({ name: "" })],
    volumes: [{ name: "V" }, { name: "" }],
    hostname: "a.b",
    subdomain: "-",
    nodeName: "N",
    serviceAccountName: "S!",
    priorityClassName: "P",
    runtimeClassName: "R",
  }),
  "the same name twice": pod({
    containers: [c(), c()],
    initContainers: [c()],
    volumes: [{ name: "v" }, { name: "v" }],
  }),
  "no image": withContainer({ image: "" }),
  "an image with spaces": withContainer({ image: " a " }),
  "bad ports": withContainer({
    ports: [
      { containerPort: 0 },
      { containerPort: 70000 },
      { containerPort: 1, hostPort: -1 },
      { containerPort: 2, protocol: "ICMP" },
      { containerPort: 3, name: "Name" },
      { containerPort: 4, name: "1" },
      { containerPort: 5, name: "-a--b-" },
      { containerPort: 6, name: "abcdefghijklmnop" },
      { containerPort: 7, name: "ok" },
      { containerPort: 8, name: "ok" },
    ],
  }),
  "a host port twice": pod({
    containers: [
      c({ ports: [{ containerPort: 1, hostPort: 1 }] }),
      { name: "b", image: "b", ports: [{ containerPort: 2, hostPort: 1 }] },
    ],
  }),
  "another port on the node's network": pod({
    hostNetwork: true,
    containers: [c({ ports: [{ containerPort: 80, hostPort: 81 }] })],
  }),
  "bad variables": withContainer({
    env: [
      { name: "" },
      { name: "A=B" },
      { name: "é" },
      { name: "C", valueFrom: {} },
      { name: "D", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "E", valueFrom: { fieldRef: { fieldPath: "metadata.name" }, secretKeyRef: { name: "s", key: "k" } } },
      { name: "F", valueFrom: { fieldRef: { fieldPath: "spec.nope" } } },
      { name: "G", valueFrom: { fieldRef: { fieldPath: "status.phase" } } },
      { name: "H", valueFrom: { fieldRef: { fieldPath: "spec['x']" } } },
      { name: "I", valueFrom: { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } } },
      { name: "J", valueFrom: { resourceFieldRef: { resource: "limits.gpu" } } },
      { name: "K", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "2" } } },
      { name: "L", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "3Mi" } } },
      { name: "M", valueFrom: { secretKeyRef: { name: "S", key: "k k" } } },
      { name: "N", valueFrom: { configMapKeyRef: { name: "s", key: "" } } },
      { name: "O", valueFrom: { secretKeyRef: { key: ".." } } },
    ],
    envFrom: [
      {},
      { prefix: "a=", configMapRef: { name: "C" } },
      { secretRef: {} },
      { secretRef: { name: "s" }, configMapRef: { name: "c" } },
    ],
  }),
  "bad probes": withContainer({
    livenessProbe: { httpGet: { port: 0, scheme: "FTP" }, tcpSocket: { port: "" }, successThreshold: 2 },
    readinessProbe: { periodSeconds: -1, terminationGracePeriodSeconds: 5 },
    startupProbe: { exec: {}, terminationGracePeriodSeconds: -1 },
    lifecycle: { preStop: { sleep: { seconds: 31 } }, postStart: {}, stopSignal: "SIGTERM" },
  }),
  "a bad header": withContainer({
    livenessProbe: { httpGet: { port: 1, httpHeaders: [{ name: "a b", value: "c" }] } },
  }),
  "bad mounts": pod({
    volumes: [{ name: "v" }],
    containers: [
      c({
        volumeMounts: [
          { name: "x", mountPath: "/a" },
          { name: "v", mountPath: "" },
          { name: "", mountPath: "/b" },
          { name: "v", mountPath: "/b" },
          { name: "v", mountPath: "/c", subPath: "/abs" },
          { name: "v", mountPath: "/d", subPath: "../up", subPathExpr: "x" },
          { name: "v", mountPath: "/e", mountPropagation: "Sideways" },
          { name: "v", mountPath: "/f", mountPropagation: "Bidirectional" },
          { name: "v", mountPath: "/g", recursiveReadOnly: "Enabled" },
        ],
        volumeDevices: [
          { name: "v", devicePath: "/dev/x" },
          { name: "no", devicePath: "/dev/../x" },
        ],
      }),
    ],
  }),
  "bad volumes": pod({
    volumes: [
      { name: "a", emptyDir: {}, hostPath: { path: "/" } },
      { name: "b", secret: {} },
      { name: "c", configMap: { name: "", defaultMode: 512 } },
      { name: "d", hostPath: { path: "a/../b" } },
      { name: "e", hostPath: { path: "" } },
      { name: "f", hostPath: { path: "/x", type: "Tree" } },
      {
        name: "g",
        secret: {
          secretName: "s",
          items: [
            { key: "", path: "/abs" },
            { key: "k", path: "..x" },
            { key: "k", path: "", mode: -1 },
          ],
        },
      },
      { name: "h", downwardAPI: { items: [{ path: "p" }, { path: "q", fieldRef: { fieldPath: "status.podIP" } }] } },
      { name: "i", projected: { sources: [{ secret: { name: "s" }, configMap: { name: "c" } }, { secret: {} }] } },
      {
        name: "j",
        projected: {
          sources: [
            { configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
            { secret: { name: "s", items: [{ key: "k", path: "p" }] } },
          ],
        },
      },
      { name: "k", projected: { sources: [{ serviceAccountToken: { path: "", expirationSeconds: 5 } }] } },
      { name: "l", persistentVolumeClaim: { claimName: "" } },
      { name: "m", emptyDir: { sizeLimit: "-1" } },
      { name: "n", nfs: { server: "", path: "rel" } },
    ],
  }),
  "bad resources": withContainer({
    resources: {
      limits: { cpu: "1", nope: "1", "example.com/gpu": "500m", "kubernetes.io/x": "1", "a b": 1, memory: "-1" },
      requests: { cpu: "2", "example.com/gpu": "1", "example.com/other": "1" },
    },
  }),
  "huge pages alone": withContainer({ resources: { limits: { "hugepages-2Mi": "3Mi" } } }),
  "bad policies": pod({
    restartPolicy: "Sometimes",
    dnsPolicy: "Nope",
    preemptionPolicy: "Maybe",
    containers: [c({ imagePullPolicy: "Rarely", terminationMessagePolicy: "Shout", restartPolicy: "Once" })],
  }),
  "bad security": pod({
    securityContext: {
      runAsUser: -1,
      runAsGroup: 4294967296,
      fsGroup: -5,
      supplementalGroups: [-1],
      fsGroupChangePolicy: "Never",
      sysctls: [
        { name: "", value: "" },
        { name: "A", value: "" },
        { name: "a.b", value: "1" },
        { name: "a.b", value: "2" },
      ],
      seccompProfile: { type: "Localhost" },
      supplementalGroupsPolicy: "None",
    },
    containers: [
      c({
        securityContext: {
          runAsUser: -1,
          procMount: "Unmasked",
          seccompProfile: { type: "X", localhostProfile: "y" },
          appArmorProfile: { type: "Localhost" },
        },
      }),
    ],
    hostPID: true,
    shareProcessNamespace: true,
  }),
  "privileged, and yet no more than it is": pod({
    containers: [
      c({
        securityContext: {
          privileged: true,
          allowPrivilegeEscalation: false,
          capabilities: { add: ["CAP_SYS_ADMIN"], drop: ["ALL"] },
          runAsUser: 5,
          seccompProfile: { type: "RuntimeDefault" },
        },
      }),
    ],
  }),
  "a choice that is not released yet": pod({ securityContext: { seLinuxChangePolicy: "MountOption" } }),
  "what is not released yet": pod({
    schedulingGroup: { podGroupName: "x" },
    containers: [c({ lifecycle: { stopSignal: "SIGTERM" } })],
    volumes: [{ name: "v", projected: { sources: [{ clusterTrustBundle: { name: "x", path: "y" } }] } }],
  }),
  "users of its own on the node's namespaces": pod({
    hostUsers: false,
    hostNetwork: true,
    hostPID: true,
    hostIPC: true,
  }),
  "bad affinity": pod({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 0,
            preference: {
              matchExpressions: [{ key: "a b", operator: "In" }],
              matchFields: [{ key: "x", operator: "Exists" }],
            },
          },
          {
            weight: 101,
            preference: {
              matchExpressions: [
                { key: "a", operator: "Gt", values: ["1", "2"] },
                { key: "b", operator: "Like" },
                { key: "c", operator: "Exists", values: ["x"] },
              ],
            },
          },
        ],
      },
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "", namespaces: ["N"], labelSelector: { matchExpressions: [{ key: "k", operator: "In" }] } },
          { topologyKey: "z", matchLabelKeys: ["a"] },
        ],
      },
    },
  }),
  "bad tolerations": pod({
    tolerations: [
      { key: "", operator: "Equal" },
      { key: "a b", operator: "Exists", value: "x" },
      { key: "k", value: "a b" },
      { key: "k", operator: "Like" },
      { key: "k", operator: "Lt", value: "1" },
      { key: "k", operator: "Exists", effect: "Nothing", tolerationSeconds: 1 },
    ],
  }),
  "bad spreading": pod({
    topologySpreadConstraints: [
      { maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Cry" },
      { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", minDomains: 0, nodeTaintsPolicy: "X" },
      { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", matchLabelKeys: ["a"] },
    ],
  }),
  "bad DNS": pod({
    dnsPolicy: "None",
    hostAliases: [{ ip: "a", hostnames: ["A"] }, { ip: "010.1.1.1" }, { ip: "::ffff:1.2.3.4" }],
  }),
  "bad DNS servers": pod({
    dnsConfig: { nameservers: ["1.1.1.1", "x", "2.2.2.2", "3.3.3.3"], searches: ["A b"], options: [{ value: "x" }] },
  }),
  "bad gates": pod({
    schedulingGates: [{ name: "a b" }, { name: "x" }, { name: "x" }],
    nodeName: "n",
    readinessGates: [{ conditionType: "a b" }],
  }),
  "bad init containers": pod({
    initContainers: [
      {
        name: "i",
        image: "i",
        lifecycle: { preStop: { exec: { command: ["x"] } } },
        livenessProbe: { exec: { command: ["x"] } },
      },
      {
        name: "j",
        image: "j",
        restartPolicy: "Never",
        ports: [
          { containerPort: 1, hostPort: 1 },
          { containerPort: 2, hostPort: 1 },
        ],
      },
      {
        name: "k",
        image: "k",
        resizePolicy: [
          { resourceName: "cpu", restartPolicy: "RestartContainer" },
          { resourceName: "gpu", restartPolicy: "" },
        ],
      },
    ],
  }),
  "ephemeral containers at once": pod({
    ephemeralContainers: [{ name: "e", image: "e", ports: [{ containerPort: 1 }] }],
  }),
  "restart rules": withContainer({
    restartPolicyRules: [{ action: "Dance" }, { action: "Restart", exitCodes: { operator: "Is", values: [1] } }],
  }),
  deadlines: pod({ activeDeadlineSeconds: 0, terminationGracePeriodSeconds: -5 }),
  "a name for the host": pod({ hostnameOverride: "A", setHostnameAsFQDN: true }),
  "an operating system that is none": pod({ os: { name: "plan9" } }),
  "Windows options on Linux": pod({
    os: { name: "linux" },
    securityContext: { windowsOptions: { runAsUserName: "x" } },
  }),
  "a mirror pod without a node": pod(
    {},
    { annotations: { "kubernetes.io/config.mirror": "x", "controller.kubernetes.io/pod-deletion-cost": "01" } },
  ),
  "bad labels of nodes": pod({ nodeSelector: { "a b": "c d" } }),
  "labels of nodes that are too long": pod({ nodeSelector: { [`x.io/${"k".repeat(64)}`]: "v".repeat(64) } }),
  "a token without a service account": withVolume({
    projected: { sources: [{ serviceAccountToken: { path: "token" } }] },
  }),
  "variables, ports and a name that warn": pod(
    {
      containers: [
        c({
          env: [
            { name: "A", value: "1" },
            { name: "A", value: "2" },
            { name: "A", value: "$(A)x" },
          ],
          ports: [
            { containerPort: 1, name: "x" },
            { containerPort: 1, hostPort: 5 },
          ],
          resources: { limits: { memory: "1500m" } },
        }),
        { name: "b", image: "b", ports: [{ containerPort: 1, name: "x" }] },
      ],
      terminationGracePeriodSeconds: -1,
    },
    { name: "case.dotted" },
  ),
};

const deployments: Record<string, Json> = {
  "a deployment": deployment(),
  "a deployment of everything": deployment({
    replicas: 0,
    minReadySeconds: 0,
    paused: false,
    revisionHistoryLimit: 0,
    progressDeadlineSeconds: 60,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
  }),
  "a deployment that recreates": deployment({ strategy: { type: "Recreate" } }),
  "a deployment with limits": deployment(
    {},
    { containers: [c({ resources: { limits: { cpu: 1 } }, ports: [{ containerPort: 1 }] })], hostNetwork: true },
  ),
  "a deployment of nothing": { apiVersion: "apps/v1", kind: "Deployment", metadata: meta() },
  "a selector that does not match": deployment({ selector: { matchLabels: { app: "b" } } }),
  "an empty selector": deployment({ selector: {} }),
  "a bad selector": deployment({
    selector: {
      matchExpressions: [
        { key: "a b", operator: "Like" },
        { key: "x", operator: "Exists", values: ["y"] },
      ],
    },
  }),
  "bad numbers": deployment({
    replicas: -1,
    minReadySeconds: -1,
    revisionHistoryLimit: -1,
    progressDeadlineSeconds: -5,
    strategy: { rollingUpdate: { maxSurge: -1, maxUnavailable: "a" } },
  }),
  "nothing may be missing, nothing may be more": deployment({
    strategy: { rollingUpdate: { maxSurge: "0%", maxUnavailable: 0 } },
  }),
  "more than all": deployment({ strategy: { rollingUpdate: { maxUnavailable: "101%" } } }),
  "recreated and rolled": deployment({ strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }),
  "a deadline that comes too soon": deployment({ minReadySeconds: 10, progressDeadlineSeconds: 10 }),
  "a template that ends": deployment({}, { restartPolicy: "Never", activeDeadlineSeconds: 5 }),
  "a template with bad labels": deployment({
    template: {
      metadata: { labels: { app: "a", "b b": "c c" }, annotations: { "d d": "" } },
      spec: { containers: [c()] },
    },
  }),
  "a template with ephemeral containers": deployment({}, { ephemeralContainers: [{ name: "e", image: "e" }] }),
  "a replica set": replicaSet(),
  "a replica set of minus one": replicaSet({ replicas: -1, minReadySeconds: -1, selector: {} }),
};

const others: Record<string, Json> = {
  "a budget": budget({ minAvailable: 1, selector: { matchLabels: { a: "b" } } }),
  "an empty budget": budget(),
  "a budget of none": budget({ maxUnavailable: 0, unhealthyPodEvictionPolicy: "AlwaysAllow", selector: {} }),
  "a budget of both": budget({ minAvailable: 1, maxUnavailable: "10%" }),
  "a bad budget": budget({
    minAvailable: "200%",
    unhealthyPodEvictionPolicy: "Never",
    selector: { matchLabels: { "a b": "" } },
  }),
  "a budget of nonsense": budget({ minAvailable: "x" }),
  "a negative budget": budget({ maxUnavailable: -1 }),
  "a slice": slice({ endpoints: [{ addresses: ["10.0.0.1"], nodeName: "n" }], ports: [{ port: 80 }] }),
  "an empty slice": slice(),
  "a slice of empty lists": slice({ endpoints: [], ports: [] }),
  "a slice that is not ready": slice({
    endpoints: [
      {
        addresses: ["10.0.0.1"],
        conditions: { ready: false, serving: true },
        targetRef: { kind: "Pod", name: "x", namespace: "default" },
        deprecatedTopology: { a: "b" },
      },
    ],
    ports: [{ name: "http", port: 80, protocol: "TCP", appProtocol: "h2" }],
  }),
  "a bad slice": slice({
    addressType: "IPv5",
    endpoints: [{ addresses: [] }, { addresses: ["x"], hostname: "A", nodeName: "N" }],
    ports: [{ name: "A" }, { name: "b" }, { name: "b", protocol: "X", appProtocol: "a b" }],
  }),
  "bad addresses": slice({
    endpoints: [{ addresses: ["x", "::1", "127.0.0.1", "0.0.0.0", "169.254.1.1", "224.0.0.1", "01.2.3.4"] }],
  }),
  "bad IPv6 addresses": slice({ addressType: "IPv6", endpoints: [{ addresses: ["1.2.3.4", "::1", "fe80::1"] }] }),
  "bad domains": slice({ addressType: "FQDN", endpoints: [{ addresses: ["a", "a.b.", "A.b"] }] }),
  "bad hints": slice({
    endpoints: [
      {
        addresses: ["10.0.0.1"],
        hints: { forZones: [{ name: "a" }, { name: "a" }, { name: "b b" }], forNodes: [{ name: "N" }] },
      },
    ],
  }),
  "a node": node(),
  "a node with a status": node(
    { podCIDR: "10.1.0.0/24", taints: [{ key: "k", effect: "NoSchedule" }], unschedulable: true },
    {
      capacity: { cpu: 4, memory: "8Gi", pods: "110" },
      addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
      conditions: [{ type: "Ready", status: "True", reason: "x" }],
      nodeInfo: { kubeletVersion: "v1.36.4" },
      images: [{ sizeBytes: 5 }],
    },
  ),
  "a bad node": node(
    {
      taints: [
        { key: "a b", value: "c d", effect: "" },
        { key: "k", effect: "X" },
        { key: "l", effect: "NoExecute" },
        { key: "l", effect: "NoExecute" },
      ],
    },
    { capacity: { cpu: "-1", pods: "1500m" } },
  ),
  "a revision": revision({ revision: 3, data: { a: [1, null, { b: "" }] } }),
  "a revision of nothing": revision({ revision: -1 }),
  "a revision of a list": revision({ data: [1] }),
};

export const cases: Case[] = [pods, deployments, others].flatMap((group) =>
  Object.entries(group).map(([what, manifest]) => ({ what, manifest })),
);
