/**
 * What becomes of pods, as a kubelet 1.36 shows it: each is put to a real kubelet (kubelet.node.test.ts) and to this
 * node on a real engine (kubelet.containers.test.ts). Statuses are those that must be seen on the way, in this order;
 * events those that must be told, and no others.
 */
import type { Pod } from "@berg/kube";
import type { Container, PodSpec } from "../../containers/shapes.ts";

export const webImage = "berg.test/web:1";
export const rootImage = "berg.test/root:1";

export interface Case {
  name: string;
  container: Partial<Container>;
  spec?: Partial<PodSpec>;
  /** Is deleted once this is its status. */
  deleteAt?: string;
  statuses: readonly string[];
  events: readonly string[];
}

const sh = (script: string) => ["sh", "-c", script];
const forever = sh("trap 'exit 0' TERM; while true; do sleep 0.1; done");
const began = [
  'Pulled: Container image "berg.test/web:1" already present on machine and can be accessed by the pod',
  "Created: Container created",
  "Started: Container started",
];
const about = (part: string, lines: readonly string[]) => lines.map((line) => `${part} ${line}`);
const started = about("containers{c}", began);
const creating = "Pending, unready: c waiting ContainerCreating ×0";

export const cases: readonly Case[] = [
  {
    name: "good",
    container: {
      command: forever,
      readinessProbe: { exec: { command: ["true"] }, periodSeconds: 1, timeoutSeconds: 10 },
    },
    deleteAt: "Running, ready: c running ×0",
    statuses: [creating, "Running, ready: c running ×0", "Succeeded, unready: c Completed 0 ×0", "gone"],
    events: [...started, "containers{c} Killing: Stopping container c"],
  },
  {
    name: "crash",
    container: { command: sh("exit 3") },
    statuses: ["Running, unready: c Error 3 ×0", "Running, unready: c CrashLoopBackOff ×1 after Error 3"],
    events: [...started, "containers{c} BackOff: Back-off restarting failed container c in pod crash_NS(UID)"],
  },
  {
    name: "oom",
    container: { command: sh("sleep 3; x=a; while true; do x=$x$x; done"), resources: { limits: { memory: "12Mi" } } },
    spec: { restartPolicy: "Never" },
    statuses: ["Running, ready: c running ×0", "Failed, unready: c OOMKilled 137 ×0"],
    events: started,
  },
  {
    name: "no-image",
    container: { image: "berg.test/missing:1", imagePullPolicy: "Never" },
    statuses: [creating, "Pending, unready: c ErrImageNeverPull ×0"],
    events: [
      'containers{c} ErrImageNeverPull: Container image "berg.test/missing:1" is not present with pull policy of Never',
      "containers{c} Failed: Error: ErrImageNeverPull",
    ],
  },
  {
    name: "bad-image",
    container: { image: "Bad//Image" },
    statuses: ["Pending, unready: c InvalidImageName ×0"],
    events: [
      `containers{c} InspectFailed: Failed to apply default image tag "Bad//Image": couldn't parse image name "Bad//Image": invalid reference format: repository name (/Image) must be lowercase`,
      "containers{c} Failed: Error: InvalidImageName",
    ],
  },
  {
    name: "no-key",
    container: { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "cm", key: "nope" } } }] },
    statuses: [creating, "Pending, unready: c CreateContainerConfigError ×0"],
    events: [started[0] ?? "", "containers{c} Failed: Error: couldn't find key nope in ConfigMap NS/cm"],
  },
  {
    name: "no-secret",
    container: { envFrom: [{ secretRef: { name: "nope" } }] },
    statuses: ["Pending, unready: c CreateContainerConfigError ×0"],
    events: [started[0] ?? "", 'containers{c} Failed: Error: secret "nope" not found'],
  },
  {
    name: "no-volume",
    container: { volumeMounts: [{ name: "v", mountPath: "/v" }] },
    spec: { volumes: [{ name: "v", configMap: { name: "nope" } }] },
    statuses: [creating],
    events: ['FailedMount: MountVolume.SetUp failed for volume "v" : configmap "nope" not found'],
  },
  {
    name: "root",
    container: { image: rootImage, securityContext: { runAsNonRoot: true } },
    statuses: ["Pending, unready: c CreateContainerConfigError ×0"],
    events: [
      `containers{c} ${began[0]?.replace("web", "root")}`,
      'containers{c} Failed: Error: container has runAsNonRoot and image will run as root (pod: "root_NS(UID)", container: c)',
    ],
  },
  {
    name: "never-ready",
    container: {
      readinessProbe: { httpGet: { path: "/missing", port: 8080 }, periodSeconds: 1, initialDelaySeconds: 2 },
    },
    statuses: ["Running, unready: c running ×0"],
    events: [...started, "containers{c} Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 404"],
  },
  {
    name: "not-alive",
    container: {
      command: forever,
      livenessProbe: {
        exec: { command: sh("echo bad; exit 1") },
        periodSeconds: 1,
        timeoutSeconds: 10,
        failureThreshold: 1,
      },
    },
    statuses: ["Running, ready: c running ×0", "Running, unready: c CrashLoopBackOff ×2 after Completed 0"],
    events: [
      ...started,
      "containers{c} Unhealthy: Liveness probe failed: bad\n",
      "containers{c} Killing: Container c failed liveness probe, will be restarted",
      "containers{c} BackOff: Back-off restarting failed container c in pod not-alive_NS(UID)",
    ],
  },
  {
    name: "message",
    container: { command: sh("echo bye > /dev/termination-log") },
    spec: { restartPolicy: "Never" },
    statuses: ["Succeeded, unready: c Completed 0 ×0 saying bye\n"],
    events: started,
  },
  {
    name: "log",
    container: { command: sh("echo last word; exit 9"), terminationMessagePolicy: "FallbackToLogsOnError" },
    spec: { restartPolicy: "Never" },
    statuses: ["Failed, unready: c Error 9 ×0 saying last word\n"],
    events: started,
  },
  {
    name: "on-failure",
    container: {
      command: sh("test -e /v/x && exit 0; touch /v/x; exit 1"),
      volumeMounts: [{ name: "v", mountPath: "/v" }],
    },
    spec: { restartPolicy: "OnFailure", volumes: [{ name: "v", emptyDir: {} }] },
    statuses: ["Succeeded, unready: c Completed 0 ×1 after Error 1"],
    events: started,
  },
  {
    name: "hook",
    container: { command: forever, lifecycle: { postStart: { exec: { command: sh("echo oops; exit 1") } } } },
    statuses: ["Running, unready: c PostStartHookError ×0 after Completed 0"],
    events: [
      ...started,
      "containers{c} FailedPostStartHook: PostStartHook failed",
      "containers{c} Killing: FailedPostStartHook",
      "containers{c} BackOff: Back-off restarting failed container c in pod hook_NS(UID)",
    ],
  },
  {
    name: "init",
    container: { command: forever },
    spec: { initContainers: [{ name: "i", image: webImage, command: sh("sleep 2") }] },
    statuses: [
      "Pending, unready: i waiting PodInitializing ×0; c waiting PodInitializing ×0",
      "Pending, unready: i running ×0; c waiting PodInitializing ×0",
      "Running, ready: i Completed 0 ×0; c running ×0",
    ],
    events: [...about("initContainers{i}", began), ...started],
  },
  {
    name: "bad-init",
    container: {},
    spec: { restartPolicy: "Never", initContainers: [{ name: "i", image: webImage, command: sh("exit 2") }] },
    statuses: ["Failed, unready: i Error 2 ×0; c waiting PodInitializing ×0"],
    events: about("initContainers{i}", began),
  },
  {
    name: "sidecar",
    container: { command: sh("sleep 3") },
    spec: {
      restartPolicy: "Never",
      initContainers: [{ name: "s", image: webImage, restartPolicy: "Always", command: forever }],
    },
    statuses: ["Running, ready: s running ×0; c running ×0", "Succeeded, unready: s Completed 0 ×0; c Completed 0 ×0"],
    events: [...about("initContainers{s}", began), ...started, "initContainers{s} Killing: Stopping container s"],
  },
  {
    name: "deadline",
    container: { command: forever },
    spec: { activeDeadlineSeconds: 12 },
    statuses: ["Failed DeadlineExceeded, unready: c Completed 0 ×0"],
    events: [
      ...started,
      "DeadlineExceeded: Pod was active on the node longer than the specified deadline",
      "containers{c} Killing: Stopping container c",
    ],
  },
];

export function podOf({ name, container, spec }: Case, namespace: string) {
  const common = { terminationGracePeriodSeconds: 5, automountServiceAccountToken: false, enableServiceLinks: false };
  const containers = [{ name: "c", image: webImage, imagePullPolicy: "IfNotPresent", ...container }];
  return { metadata: { name, namespace }, spec: { ...common, containers, ...spec } };
}

/** `Running, ready: c running ×0` */
export function statusText({ status }: Pod): string {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const ready = status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True");
  const shown = containers.map(({ name, state, lastState, restartCount }) => {
    const { waiting, running, terminated } = state ?? {};
    const isPlain = waiting?.reason === "ContainerCreating" || waiting?.reason === "PodInitializing";
    const is = running ? "running" : waiting ? `${isPlain ? "waiting " : ""}${waiting.reason}` : endText(terminated);
    const after = lastState?.terminated ? ` after ${endText(lastState.terminated)}` : "";
    return `${name} ${is} ×${restartCount}${after}${terminated?.message ? ` saying ${terminated.message}` : ""}`;
  });
  const phase = [status?.phase, status?.reason].filter(Boolean).join(" ");
  return `${phase}, ${ready ? "ready" : "unready"}: ${shown.join("; ")}`;
}

function endText(end: { reason?: string; exitCode: number } | undefined): string {
  return end ? `${end.reason} ${end.exitCode}` : "-";
}
