/**
 * Objects as a busy cluster would send them: every field that kubelet, scheduler and controllers write on a challenge's
 * pod, in the order in which the server writes them. Made from a number alone, so that all contenders read the same.
 */
import type { KubeObject, Stored } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import {
  annotations,
  type ChallengeInstance,
  challengeKind,
  fieldManagers,
  finalizers,
  labels,
  managedByBerg,
} from "@berg/resources";

export type BenchPod = Stored<Pod>;
export type BenchInstance = Stored<ChallengeInstance>;

/** `version` is the resourceVersion, and decides what state the pod is in. */
export function makePod(index: number, version: number): BenchPod {
  const owner = uuid(index, 1);
  const namespace = `challenge-${owner}`;
  const challenge = challenges[index % challenges.length] as string;
  const name = `${challenge}-${hex(index, 9)}-${hex(index * 7919, 5)}`;
  const started = time(index);
  const image = `registry.ctf.example/${challenge}`;
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name,
      namespace,
      uid: uuid(index, 2),
      resourceVersion: String(version),
      generation: 1,
      creationTimestamp: started,
      labels: {
        [labels.managedBy]: managedByBerg,
        [labels.challenge]: challenge,
        [labels.instanceUid]: uuid(index, 4),
        [labels.ownerId]: owner,
        [labels.kind]: challengeKind,
        "pod-template-hash": hex(index, 9),
      },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: `${challenge}-${hex(index, 9)}`,
          uid: uuid(index, 5),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: podManagers(index, started),
    },
    spec: {
      volumes: [{ name: "flag", configMap: { name: "flag-content", defaultMode: 292 } }],
      containers: [
        {
          name: "main",
          image: `${image}:2026.1`,
          ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
          resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "50m", memory: "64Mi" } },
          volumeMounts: [{ name: "flag", readOnly: true, mountPath: "/flag", subPath: "flag" }],
          imagePullPolicy: "IfNotPresent",
          securityContext: { capabilities: { drop: ["DAC_OVERRIDE"] } },
        },
      ],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 5,
      dnsPolicy: "ClusterFirst",
      automountServiceAccountToken: false,
      nodeName: `node-${index % 40}`,
      securityContext: {},
      schedulerName: "default-scheduler",
      tolerations: ["not-ready", "unreachable"].map((taint) => ({
        key: `node.kubernetes.io/${taint}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      })),
      enableServiceLinks: false,
    },
    status: podStatus(index, version, image),
  };
}

export function makeInstance(index: number, version: number): BenchInstance {
  const owner = uuid(index, 1);
  const started = time(index);
  const challenge = challenges[index % challenges.length] as string;
  // The server writes the fields of a custom resource in alphabetical order.
  return {
    apiVersion: "berg.norelect.ch/v1",
    kind: "ChallengeInstance",
    metadata: {
      annotations: { [annotations.instanceId]: uuid(index, 3) },
      creationTimestamp: started,
      finalizers: [finalizers.api, finalizers.controller],
      generation: 1,
      labels: { [labels.challenge]: challenge, [labels.ownerId]: owner },
      managedFields: instanceManagers(started),
      name: `${challenge}-${hex(index, 8)}`,
      namespace: "berg",
      resourceVersion: String(version),
      uid: uuid(index, 4),
    },
    spec: {
      challengeRef: { name: challenge, namespace: "challenges" },
      flag: `CTF{${digest(index).slice(0, 32)}}`,
      ownerId: owner,
      renewals: 0,
      restarts: 0,
      timeout: "2h",
    },
    status: {
      conditions: ["NamespaceCreated", "PolicyApplied", "RoutesCreated", "PodsReady"].map((type) => ({
        lastTransitionTime: started,
        message: `${type} as it should be`,
        observedGeneration: 1,
        reason: "AsExpected",
        status: "True",
        type,
      })),
      expiresAt: time(index + 7200),
      history: [{ at: started, expiresAt: time(index + 7200), reason: "Started" }],
      instanceId: uuid(index, 3),
      namespace: `challenge-${owner}`,
      observedGeneration: 1,
      phase: "Running",
      readyAt: time(index + 4),
      services: [
        {
          appProtocol: "http",
          hostname: `${hex(index, 32)}.instances.ctf.example`,
          name: "http",
          port: 443,
          protocol: "TCP",
          tls: true,
        },
      ],
      startedAt: started,
    },
  };
}

/** One line of a watch. */
export function frame(type: "ADDED" | "MODIFIED", object: KubeObject): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** The version of the first change; objects that are there before have lower ones. */
export const firstVersion = 1_000_000;

/** So many changes, spread evenly over the pods. */
export function* changeFrames(pods: number, changes: number): Iterable<string> {
  for (let change = 0; change < changes; change++) {
    yield frame("MODIFIED", makePod(change % pods, firstVersion + change));
  }
}

const challenges = ["babys-first-heap", "web-of-lies", "crypto-casino", "blind-date", "kernel-panic"];

/** Most are running; some have just been scheduled, some have crashed. */
function podStatus(index: number, version: number, image: string) {
  const since = time(index);
  const scheduled = podCondition("PodScheduled", true, since);
  if (version % 10 === 0) return { phase: "Pending", conditions: [scheduled], qosClass: "Burstable" };
  const ready = version % 10 !== 1;
  return {
    phase: "Running",
    conditions: [
      podCondition("Initialized", true, since),
      podCondition("Ready", ready, since),
      podCondition("ContainersReady", ready, since),
      scheduled,
    ],
    hostIP: `10.0.0.${index % 250}`,
    hostIPs: [{ ip: `10.0.0.${index % 250}` }],
    podIP: `10.42.${index % 250}.${version % 250}`,
    podIPs: [{ ip: `10.42.${index % 250}.${version % 250}` }],
    startTime: since,
    containerStatuses: [
      {
        name: "main",
        state: ready
          ? { running: { startedAt: since } }
          : { waiting: { reason: "CrashLoopBackOff", message: "back-off 10s restarting failed container" } },
        lastState: {},
        ready,
        restartCount: version % 5,
        image: `${image}:2026.1`,
        imageID: `${image}@sha256:${digest(index % challenges.length)}`,
        containerID: `containerd://${digest(index * 31 + version)}`,
        started: ready,
      },
    ],
    qosClass: "Burstable",
  };
}

function podCondition(type: string, holds: boolean, since: string) {
  return {
    type,
    observedGeneration: 1,
    status: holds ? "True" : "False",
    lastProbeTime: null as unknown as string,
    lastTransitionTime: since,
    ...(holds ? {} : { reason: "ContainersNotReady", message: "containers with unready status: [main]" }),
  };
}

function podManagers(index: number, at: string) {
  const conditionOwned = { ".": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {} };
  return [
    {
      manager: "kube-controller-manager",
      operation: "Update",
      apiVersion: "v1",
      time: at,
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": {
          "f:labels": { ".": {}, "f:berg.norelect.ch/instance-uid": {}, "f:ctf/kind": {} },
          "f:ownerReferences": { ".": {}, [`k:{"uid":"${uuid(index, 5)}"}`]: {} },
        },
        "f:spec": {
          "f:automountServiceAccountToken": {},
          "f:containers": {
            'k:{"name":"main"}': {
              ".": {},
              "f:image": {},
              "f:imagePullPolicy": {},
              "f:name": {},
              "f:resources": {},
            },
          },
          "f:dnsPolicy": {},
          "f:restartPolicy": {},
          "f:schedulerName": {},
        },
      },
    },
    {
      manager: "kubelet",
      operation: "Update",
      apiVersion: "v1",
      time: at,
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:status": {
          "f:conditions": {
            'k:{"type":"ContainersReady"}': conditionOwned,
            'k:{"type":"Ready"}': conditionOwned,
          },
          "f:containerStatuses": {},
          "f:hostIP": {},
          "f:phase": {},
          "f:podIP": {},
          "f:startTime": {},
        },
      },
      subresource: "status",
    },
  ];
}

function instanceManagers(at: string) {
  return [
    {
      apiVersion: "berg.norelect.ch/v1",
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": { "f:annotations": { ".": {}, "f:berg.norelect.ch/instance-id": {} } },
        "f:spec": { ".": {}, "f:challengeRef": {}, "f:flag": {}, "f:ownerId": {}, "f:timeout": {} },
      },
      manager: fieldManagers.api,
      operation: "Update",
      time: at,
    },
    {
      apiVersion: "berg.norelect.ch/v1",
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:status": { ".": {}, "f:conditions": {}, "f:expiresAt": {}, "f:phase": {}, "f:services": {} },
      },
      manager: fieldManagers.controller,
      operation: "Update",
      subresource: "status",
      time: at,
    },
  ];
}

function hex(number: number, digits: number): string {
  return (number + 1).toString(16).padStart(digits, "0").slice(-digits);
}

/** 64 hex digits that differ from one number to the next. */
function digest(number: number): string {
  return hex(Math.imul(number + 1, 0x9e3779b1) >>> 0, 8).repeat(8);
}

function uuid(index: number, which: number): string {
  return `${hex(index, 8)}-4a1d-4c${hex(which, 2)}-9f00-${hex(index * 65_537 + which, 12)}`;
}

/** So many seconds after noon of a fixed day. */
function time(seconds: number): string {
  return `${new Date(Date.UTC(2026, 5, 1, 12) + (seconds % 86_400) * 1000).toISOString().slice(0, 19)}Z`;
}
