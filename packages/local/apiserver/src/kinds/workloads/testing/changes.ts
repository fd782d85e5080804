/** Changes of what is stored, allowed and not, that a real API server and ours must judge alike. */
import { applyMergePatch } from "@berg/apimachinery";
import { budget, deployment, node, pod, replicaSet, revision, slice } from "./cases.ts";

type Json = Record<string, unknown>;

export interface Change {
  what: string;
  manifest: Json;
  /** Written before the change. */
  status?: Json;
  change: (stored: Json) => Json;
  subresource?: string;
}

/** null removes; lists are replaced. */
const merge = (patch: Json) => (stored: Json) => applyMergePatch(stored, patch) as Json;
const container = (more: Json) => ({ name: "a", image: "a:1", ...more });

/** What the server filled in, so that a list of containers can be replaced with nothing else changed. */
const filled = {
  imagePullPolicy: "IfNotPresent",
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};
const tolerated = { key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 };
const ended = (exitCode: number) => ({
  name: "a",
  image: "",
  imageID: "",
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode } },
});
const running = { name: "a", image: "", imageID: "", ready: true, restartCount: 1, state: { running: {} } };

const ofPods: Record<string, Omit<Change, "what">> = {
  "a pod that stays as it is": { manifest: pod(), change: (stored) => stored },
  "a pod with other labels": { manifest: pod(), change: merge({ metadata: { labels: { a: "b" } } }) },
  "a pod with another image": {
    manifest: pod(),
    change: merge({ spec: { containers: [container({ ...filled, image: "b:2" })] } }),
  },
  "a pod without an image": {
    manifest: pod(),
    change: merge({ spec: { containers: [container({ ...filled, image: "" })] } }),
  },
  "a pod with another command": {
    manifest: pod(),
    change: merge({ spec: { containers: [container({ ...filled, command: ["x"] })] } }),
  },
  "a pod with one container more": {
    manifest: pod(),
    change: merge({ spec: { containers: [container(filled), { name: "b", image: "b" }] } }),
  },
  "a pod on another node": { manifest: pod(), change: merge({ spec: { nodeName: "n" } }) },
  "a pod with another restart policy": { manifest: pod(), change: merge({ spec: { restartPolicy: "Never" } }) },
  "a pod with a deadline": { manifest: pod(), change: merge({ spec: { activeDeadlineSeconds: 5 } }) },
  "a pod with a later deadline": {
    manifest: pod({ activeDeadlineSeconds: 5 }),
    change: merge({ spec: { activeDeadlineSeconds: 6 } }),
  },
  "a pod with a deadline no more": {
    manifest: pod({ activeDeadlineSeconds: 5 }),
    change: merge({ spec: { activeDeadlineSeconds: null } }),
  },
  "a pod with a negative deadline": { manifest: pod(), change: merge({ spec: { activeDeadlineSeconds: -1 } }) },
  "a pod that tolerates more": {
    manifest: pod({ tolerations: [tolerated] }),
    change: merge({ spec: { tolerations: [tolerated, { key: "l", operator: "Exists" }] } }),
  },
  "a pod that tolerates for longer": {
    manifest: pod({ tolerations: [tolerated] }),
    change: merge({ spec: { tolerations: [{ ...tolerated, tolerationSeconds: 9 }] } }),
  },
  "a pod that tolerates less": {
    manifest: pod({ tolerations: [tolerated] }),
    change: merge({ spec: { tolerations: null } }),
  },
  "a pod that is held back once more": {
    manifest: pod({ schedulingGates: [{ name: "a" }] }),
    change: merge({ spec: { schedulingGates: [{ name: "a" }, { name: "b" }] } }),
  },
  "a pod that is held back no more": {
    manifest: pod({ schedulingGates: [{ name: "a" }] }),
    change: merge({ spec: { schedulingGates: null } }),
  },
  "a pod held back, with a node selector": {
    manifest: pod({ schedulingGates: [{ name: "a" }] }),
    change: merge({ spec: { nodeSelector: { a: "b" } } }),
  },
  "a pod held back, with another node selector": {
    manifest: pod({ schedulingGates: [{ name: "a" }], nodeSelector: { a: "b" } }),
    change: merge({ spec: { nodeSelector: { a: "c" } } }),
  },
  "a pod's status through the front door": { manifest: pod(), change: merge({ status: { phase: "Running" } }) },
  "a pod that runs": {
    manifest: pod(),
    subresource: "status",
    change: merge({
      status: {
        phase: "Running",
        podIP: "10.0.0.1",
        hostIP: "10.1.0.1",
        hostIPs: [{ ip: "10.1.0.1" }],
        startTime: "2026-01-01T01:00:00+01:00",
        conditions: [
          { type: "Ready", status: "True" },
          { type: "example.com/mine", status: "False", message: "" },
        ],
        containerStatuses: [{ name: "a", state: { running: { startedAt: "2026-01-01T00:00:00Z" } } }],
      },
    }),
  },
  "a pod's spec by way of its status": {
    manifest: pod(),
    subresource: "status",
    change: merge({ spec: { nodeName: "n" }, status: { phase: "Running" } }),
  },
  "a pod with addresses of both sorts": {
    manifest: pod(),
    subresource: "status",
    change: merge({ status: { podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] } }),
  },
  "a pod with too many addresses": {
    manifest: pod(),
    subresource: "status",
    change: merge({ status: { podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] } }),
  },
  "a pod with bad addresses": {
    manifest: pod(),
    subresource: "status",
    change: merge({ status: { podIP: "x", hostIPs: [{ ip: "y" }] } }),
  },
  "a pod with bad conditions": {
    manifest: pod(),
    subresource: "status",
    change: merge({
      status: {
        conditions: [{ type: "a b", status: "True", observedGeneration: -1 }],
        observedGeneration: -1,
        nominatedNodeName: "N",
      },
    }),
  },
  "a pod of another quality": {
    manifest: pod(),
    subresource: "status",
    change: merge({ status: { qosClass: "Guaranteed" } }),
  },
  "a pod that says nothing of its quality": {
    manifest: pod(),
    subresource: "status",
    change: merge({ status: { qosClass: null, phase: "Running" } }),
  },
  "a container that comes back": {
    manifest: pod({ restartPolicy: "Never" }),
    status: { phase: "Running", containerStatuses: [ended(0)] },
    subresource: "status",
    change: merge({ status: { containerStatuses: [running] } }),
  },
  "a container that is done, and comes back": {
    manifest: pod({ restartPolicy: "OnFailure" }),
    status: { phase: "Running", containerStatuses: [ended(0)] },
    subresource: "status",
    change: merge({ status: { containerStatuses: [running] } }),
  },
  "a pod whose generations are not mentioned": {
    manifest: pod(),
    status: {
      phase: "Running",
      observedGeneration: 1,
      conditions: [{ type: "Ready", status: "True", observedGeneration: 1 }],
    },
    subresource: "status",
    change: merge({
      status: {
        observedGeneration: null,
        conditions: [
          { type: "Ready", status: "False" },
          { type: "x", status: "True" },
        ],
      },
    }),
  },
  "a pod with another owner, by way of its status": {
    manifest: pod({}, { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "u" }] }),
    subresource: "status",
    change: merge({
      metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "y", uid: "v" }] },
      status: { phase: "Running" },
    }),
  },
  "a container that may come back": {
    manifest: pod({ restartPolicy: "OnFailure" }),
    status: { phase: "Running", containerStatuses: [ended(1)] },
    subresource: "status",
    change: merge({ status: { containerStatuses: [running] } }),
  },
};

const ofOthers: Record<string, Omit<Change, "what">> = {
  "a deployment of more": { manifest: deployment(), change: merge({ spec: { replicas: 3 } }) },
  "a deployment with another selector": {
    manifest: deployment(),
    change: merge({
      spec: { selector: { matchLabels: { app: "b" } }, template: { metadata: { labels: { app: "b" } } } },
    }),
  },
  "a deployment that recreates now": {
    manifest: deployment(),
    change: merge({ spec: { strategy: { type: "Recreate" } } }),
  },
  "a deployment's status": {
    manifest: deployment(),
    subresource: "status",
    change: merge({
      metadata: { labels: { x: "y" } },
      status: { replicas: 1, readyReplicas: 1, conditions: [{ type: "Available", status: "True" }] },
    }),
  },
  "a deployment's labels by way of its status": {
    manifest: { ...deployment(), metadata: { namespace: "default", name: "x", labels: { a: "b" } } },
    subresource: "status",
    change: merge({ metadata: { labels: { a: "c" } }, status: { replicas: 1 } }),
  },
  "a deployment's impossible status": {
    manifest: deployment(),
    subresource: "status",
    change: merge({
      status: {
        replicas: 1,
        readyReplicas: 2,
        availableReplicas: 3,
        updatedReplicas: 4,
        unavailableReplicas: -1,
        collisionCount: -1,
        observedGeneration: -1,
      },
    }),
  },
  "a deployment that collided less": {
    manifest: deployment(),
    status: { collisionCount: 2 },
    subresource: "status",
    change: merge({ status: { collisionCount: null } }),
  },
  "a replica set with another selector": {
    manifest: replicaSet(),
    change: merge({ spec: { selector: { matchLabels: { app: "b" } } } }),
  },
  "a replica set's impossible status": {
    manifest: replicaSet(),
    subresource: "status",
    change: merge({ status: { replicas: 1, readyReplicas: 2, availableReplicas: 3, fullyLabeledReplicas: 4 } }),
  },
  "another budget": {
    manifest: budget({ minAvailable: 1 }),
    change: merge({ spec: { minAvailable: null, maxUnavailable: "50%" } }),
  },
  "a budget's impossible status": {
    manifest: budget({ minAvailable: 1 }),
    subresource: "status",
    change: merge({ status: { disruptionsAllowed: -1, expectedPods: -1 } }),
  },
  "a slice of other addresses": { manifest: slice(), change: merge({ endpoints: [{ addresses: ["10.0.0.2"] }] }) },
  "a slice of another sort": { manifest: slice(), change: merge({ addressType: "IPv6" }) },
  "another revision of the same": { manifest: revision({ data: { a: 1 } }), change: merge({ revision: 2 }) },
  "a revision rewritten": { manifest: revision({ data: { a: 1 } }), change: merge({ data: { a: 2 } }) },
  "a node taken out of use": {
    manifest: node(),
    change: merge({ spec: { unschedulable: true, taints: [{ key: "k", effect: "NoSchedule" }] } }),
  },
  "a node with other addresses": {
    manifest: node({ podCIDR: "10.1.0.0/24", providerID: "p" }),
    change: merge({ spec: { podCIDR: "10.2.0.0/24", podCIDRs: ["10.2.0.0/24"], providerID: "q" } }),
  },
  "a node's status": {
    manifest: node(),
    subresource: "status",
    change: merge({ status: { capacity: { cpu: "2" }, addresses: [{ type: "InternalIP", address: "1" }] } }),
  },
  "a node with an address twice": {
    manifest: node(),
    subresource: "status",
    change: merge({
      status: {
        addresses: [
          { type: "InternalIP", address: "1" },
          { type: "InternalIP", address: "1" },
        ],
      },
    }),
  },
};

export const changes: Change[] = [ofPods, ofOthers].flatMap((group) =>
  Object.entries(group).map(([what, change]) => ({ what, ...change })),
);
