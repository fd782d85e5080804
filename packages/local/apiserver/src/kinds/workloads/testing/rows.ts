/** Objects in all states, whose rows in `kubectl get` must be the same as a real API server's. */
import { budget, deployment, node, pod, replicaSet, revision, slice } from "./cases.ts";

type Json = Record<string, unknown>;

export interface Row {
  what: string;
  manifest: Json;
  status?: Json;
  /** Whether it is being deleted. */
  isEnding?: boolean;
}

const status = (name: string, state: Json, more: Json = {}): Json => ({
  name,
  image: "i",
  imageID: "",
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const running = { running: { startedAt: "2026-01-01T00:00:00Z" } };
const terminated = (more: Json) => ({ terminated: { exitCode: 1, ...more } });
const long = { lastState: terminated({ finishedAt: "2020-01-01T00:00:00Z" }) };
const longer = { lastState: terminated({ finishedAt: "2019-01-01T00:00:00Z" }) };
const init = [
  { name: "i", image: "i" },
  { name: "j", image: "j" },
];
const sidecar = [{ name: "s", image: "s", restartPolicy: "Always" }, ...init];
const two = {
  containers: [
    { name: "a", image: "a" },
    { name: "b", image: "b" },
  ],
};
const initialized = [{ type: "Initialized", status: "True" }];
const ready = [{ type: "Ready", status: "True" }];

const pods: Record<string, Omit<Row, "what">> = {
  "a new pod": { manifest: pod() },
  "a pod held back": { manifest: pod({ schedulingGates: [{ name: "a" }] }) },
  "a pod that runs": {
    manifest: pod({ nodeName: "n" }),
    status: { phase: "Running", podIP: "10.0.0.1", containerStatuses: [status("a", running, { ready: true })] },
  },
  "a pod with a nominated node": { manifest: pod(), status: { phase: "Pending", nominatedNodeName: "m" } },
  "a pod with readiness gates": {
    manifest: pod({ readinessGates: [{ conditionType: "x.y/a" }, { conditionType: "x.y/b" }] }),
    status: { phase: "Pending", conditions: [{ type: "x.y/a", status: "True" }] },
  },
  "a pod that was evicted": { manifest: pod(), status: { phase: "Failed", reason: "Evicted" } },
  "a pod in a crash loop": {
    manifest: pod(),
    status: {
      phase: "Running",
      containerStatuses: [status("a", { waiting: { reason: "CrashLoopBackOff" } }, { restartCount: 3, ...long })],
    },
  },
  "a pod that waits for no reason": {
    manifest: pod(),
    status: { phase: "Pending", containerStatuses: [status("a", { waiting: {} })] },
  },
  "a pod that ended with a code": {
    manifest: pod({ restartPolicy: "Never" }),
    status: { phase: "Failed", containerStatuses: [status("a", terminated({}))] },
  },
  "a pod that ended by a signal": {
    manifest: pod({ restartPolicy: "Never" }),
    status: { phase: "Failed", containerStatuses: [status("a", terminated({ signal: 9 }))] },
  },
  "a pod that was killed for its memory": {
    manifest: pod(),
    status: { phase: "Failed", containerStatuses: [status("a", terminated({ reason: "OOMKilled" }))] },
  },
  "a pod that is done": {
    manifest: pod(),
    status: {
      phase: "Succeeded",
      containerStatuses: [status("a", { terminated: { exitCode: 0, reason: "Completed" } })],
    },
  },
  "a pod of which one is done": {
    manifest: pod(two),
    status: {
      phase: "Running",
      containerStatuses: [
        status("a", { terminated: { exitCode: 0, reason: "Completed" } }),
        status("b", running, { ready: true }),
      ],
    },
  },
  "a pod of which one is done, and that is ready": {
    manifest: pod(two),
    status: {
      phase: "Running",
      conditions: ready,
      containerStatuses: [
        status("a", { terminated: { exitCode: 0, reason: "Completed" } }),
        status("b", running, { ready: true }),
      ],
    },
  },
  "a pod of which one failed": {
    manifest: pod(two),
    status: {
      phase: "Failed",
      containerStatuses: [
        status("a", { terminated: { exitCode: 0, reason: "Completed" } }),
        status("b", terminated({ reason: "Error" })),
      ],
    },
  },
  "a pod of which two wait": {
    manifest: pod(two),
    status: {
      phase: "Pending",
      containerStatuses: [
        status("a", { waiting: { reason: "ErrImagePull" } }),
        status("b", { waiting: { reason: "ContainerCreating" } }),
      ],
    },
  },
  "restarts of several containers": {
    manifest: pod(two),
    status: {
      phase: "Running",
      containerStatuses: [
        status("a", running, { restartCount: 1, ...longer }),
        status("b", running, { restartCount: 2, ...long }),
      ],
    },
  },
  "the first of two init containers": {
    manifest: pod({ initContainers: init }),
    status: {
      phase: "Pending",
      initContainerStatuses: [status("i", running), status("j", { waiting: { reason: "PodInitializing" } })],
    },
  },
  "the second of two init containers": {
    manifest: pod({ initContainers: init }),
    status: {
      phase: "Pending",
      initContainerStatuses: [
        status("i", { terminated: { exitCode: 0 } }, { restartCount: 4 }),
        status("j", { waiting: { reason: "PodInitializing" } }),
      ],
    },
  },
  "an init container that waits": {
    manifest: pod({ initContainers: init }),
    status: { phase: "Pending", initContainerStatuses: [status("i", { waiting: { reason: "ImagePullBackOff" } })] },
  },
  "an init container that failed": {
    manifest: pod({ initContainers: init }),
    status: {
      phase: "Pending",
      initContainerStatuses: [status("i", terminated({ reason: "Error" }), { restartCount: 2, ...long })],
    },
  },
  "an init container that was killed": {
    manifest: pod({ initContainers: init }),
    status: { phase: "Pending", initContainerStatuses: [status("i", terminated({ signal: 15 }))] },
  },
  "an init container that ended with a code": {
    manifest: pod({ initContainers: init }),
    status: { phase: "Pending", initContainerStatuses: [status("i", terminated({}))] },
  },
  "a sidecar that runs": {
    manifest: pod({ initContainers: sidecar }),
    status: {
      phase: "Running",
      conditions: initialized,
      initContainerStatuses: [
        status("s", running, { started: true, ready: true, restartCount: 1, ...long }),
        status("i", { terminated: { exitCode: 0 } }),
        status("j", { terminated: { exitCode: 0 } }),
      ],
      containerStatuses: [status("a", running, { ready: true, restartCount: 2 })],
    },
  },
  "a sidecar that has not started": {
    manifest: pod({ initContainers: sidecar }),
    status: { phase: "Pending", initContainerStatuses: [status("s", running, { started: false })] },
  },
  "a pod that ends": {
    manifest: pod({ nodeName: "n" }),
    status: { phase: "Running", containerStatuses: [status("a", running, { ready: true })] },
    isEnding: true,
  },
  "a pod that ends, and is done": { manifest: pod({ nodeName: "n" }), status: { phase: "Succeeded" }, isEnding: true },
  "a pod that ends on a node that is lost": {
    manifest: pod({ nodeName: "n" }),
    status: { phase: "Running", reason: "NodeLost" },
    isEnding: true,
  },
};

const others: Record<string, Omit<Row, "what">> = {
  "a new deployment": { manifest: deployment() },
  "a deployment that runs": {
    manifest: deployment({ replicas: 3 }, two),
    status: { replicas: 3, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1 },
  },
  "a deployment with a long selector": {
    manifest: deployment({
      selector: {
        matchLabels: { app: "a" },
        matchExpressions: [
          { key: "x", operator: "NotIn", values: ["b", "a"] },
          { key: "app", operator: "Exists" },
        ],
      },
    }),
  },
  "a replica set": {
    manifest: replicaSet({ replicas: 2 }),
    status: { replicas: 2, readyReplicas: 1, fullyLabeledReplicas: 2 },
  },
  "a budget of a number": {
    manifest: budget({ minAvailable: 1 }),
    status: { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 },
  },
  "a budget of a share": { manifest: budget({ maxUnavailable: "30%" }) },
  "an empty slice": { manifest: slice() },
  "a slice of many": {
    manifest: slice({
      endpoints: [{ addresses: ["10.0.0.1", "10.0.0.2"] }, { addresses: ["10.0.0.3", "10.0.0.4"] }],
      ports: [{ name: "a", port: 1 }, { name: "b" }, { name: "c", port: 3 }, { name: "d", port: 4 }],
    }),
  },
  "a new node": { manifest: node() },
  "a node that is ready": {
    manifest: node(
      { unschedulable: true },
      {},
      { "node-role.kubernetes.io/b": "", "node-role.kubernetes.io/a": "x", "kubernetes.io/role": "c" },
    ),
    status: {
      conditions: [{ type: "Ready", status: "True" }],
      addresses: [
        { type: "Hostname", address: "h" },
        { type: "InternalIP", address: "10.0.0.1" },
        { type: "ExternalIP", address: "1.2.3.4" },
      ],
      nodeInfo: {
        kubeletVersion: "v1",
        osImage: "os",
        kernelVersion: "6",
        containerRuntimeVersion: "c://1",
        architecture: "amd64",
        machineID: "",
        systemUUID: "",
        bootID: "",
        kubeProxyVersion: "",
        operatingSystem: "",
      },
    },
  },
  "a node of two minds": {
    manifest: node(),
    status: {
      conditions: [
        { type: "Ready", status: "False" },
        { type: "Ready", status: "True" },
      ],
    },
  },
  "a node that is not ready": { manifest: node(), status: { conditions: [{ type: "Ready", status: "Unknown" }] } },
  "a revision of nobody": { manifest: revision({ revision: 7, data: {} }) },
  "a revision of a deployment": {
    manifest: {
      ...revision({ revision: 7, data: {} }),
      metadata: {
        namespace: "default",
        ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "x", uid: "u", controller: true }],
      },
    },
  },
  "a revision of a pod": {
    manifest: {
      ...revision({ revision: 7, data: {} }),
      metadata: {
        namespace: "default",
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "u", controller: true }],
      },
    },
  },
};

export const rows: Row[] = [pods, others].flatMap((group) =>
  Object.entries(group).map(([what, row]) => ({ what, ...row })),
);
