/** Pods, and what a real API server says of them: pod-security.real.test.ts asks one. */
const context = (securityContext: object, name = "c") => ({ name, image: "i", securityContext });
const hardened = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
const nonRoot = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };
const host = { httpGet: { port: 80, host: "10.0.0.1" } };

export interface Case {
  labels: Record<string, string>;
  spec: object;
  /** Of a template only: a real server turns those of a pod into fields, which we do not. */
  annotations?: Record<string, string>;
  /** What follows `violates PodSecurity `; undefined where the pod is admitted. */
  violation?: string;
}

const spec = (...containers: object[]) => ({ containers });
const at = (enforce: string, version?: string) => ({ enforce, ...(version && { "enforce-version": version }) });

/** A pod that may run at the baseline level only. */
const risky = {
  ...spec(context({ privileged: true }), context({ capabilities: { add: ["SYS_ADMIN", "CHOWN", "BPF"] } }, "d")),
  initContainers: [context({ privileged: true, procMount: "Default" }, "a")],
  hostPID: true,
  volumes: [
    { name: "v", hostPath: { path: "/" } },
    { name: "w", hostPath: { path: "/etc" } },
    { name: "x", emptyDir: {} },
  ],
  securityContext: {
    sysctls: [
      { name: "kernel.msgmax", value: "1" },
      { name: "net.ipv4.tcp_rmem", value: "1" },
    ],
  },
};
const riskyDetails = (sysctls: string) =>
  `non-default capabilities (container "d" must not include "BPF", "SYS_ADMIN" in securityContext.capabilities.add), host namespaces (hostPID=true), hostPath volumes (volumes "v", "w"), privileged (containers "a", "c" must not set securityContext.privileged=true), forbidden sysctls (${sysctls})`;

export const cases: readonly Case[] = [
  { labels: {}, spec: risky },
  { labels: at("privileged"), spec: risky },
  { labels: at("baseline"), spec: spec(context({})) },
  { labels: at("baseline"), spec: risky, violation: `"baseline:latest": ${riskyDetails("kernel.msgmax")}` },
  {
    labels: at("baseline", "v1.31"),
    spec: risky,
    violation: `"baseline:v1.31": ${riskyDetails("kernel.msgmax, net.ipv4.tcp_rmem")}`,
  },
  { labels: at("baseline", "v1.99"), spec: risky, violation: `"baseline:v1.99": ${riskyDetails("kernel.msgmax")}` },
  {
    labels: at("baseline"),
    spec: spec(context({ privileged: true }, "x")),
    violation: '"baseline:latest": privileged (container "x" must not set securityContext.privileged=true)',
  },
  {
    labels: at("baseline"),
    spec: spec(context({ capabilities: { add: ["DAC_READ_SEARCH"] } })),
    violation:
      '"baseline:latest": non-default capabilities (container "c" must not include "DAC_READ_SEARCH" in securityContext.capabilities.add)',
  },
  {
    labels: at("baseline"),
    spec: spec(context({ capabilities: { add: ["ALL"] } })),
    violation:
      '"baseline:latest": non-default capabilities (container "c" must not include "ALL" in securityContext.capabilities.add)',
  },
  { labels: at("baseline"), spec: spec(context({ capabilities: { add: ["DAC_OVERRIDE", "MKNOD"], drop: ["X"] } })) },
  {
    labels: at("baseline"),
    spec: spec(
      {
        name: "c",
        image: "i",
        ports: [
          { containerPort: 80, hostPort: 80 },
          { containerPort: 9, hostPort: 9 },
        ],
      },
      { name: "d", image: "i", ports: [{ containerPort: 81, hostPort: 81 }, { containerPort: 82 }] },
    ),
    violation: '"baseline:latest": hostPort (containers "c", "d" use hostPorts 80, 81, 9)',
  },
  {
    labels: at("baseline"),
    spec: spec({ name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 80 }] }),
    violation: '"baseline:latest": hostPort (container "c" uses hostPort 80)',
  },
  {
    labels: at("baseline"),
    spec: spec(
      { name: "d", image: "i", livenessProbe: host, lifecycle: { preStop: { tcpSocket: { port: 1, host: "a" } } } },
      { name: "c", image: "i", readinessProbe: { tcpSocket: { port: 1, host: "b" } } },
    ),
    violation:
      '"baseline:latest": probe or lifecycle host (containers "c", "d" use probe or lifecycle hosts "10.0.0.1", "a", "b")',
  },
  { labels: at("baseline", "v1.33"), spec: spec({ name: "d", image: "i", startupProbe: host }) },
  {
    labels: at("baseline", "v1.34"),
    spec: spec({ name: "d", image: "i", startupProbe: host }),
    violation: '"baseline:v1.34": probe or lifecycle host (container "d" uses probe or lifecycle host "10.0.0.1")',
  },
  {
    labels: at("baseline"),
    spec: { ...spec(context({ procMount: "Unmasked" })), hostUsers: false },
  },
  {
    labels: at("baseline", "v1.34"),
    spec: { ...spec(context({ procMount: "Unmasked" })), hostUsers: false },
    violation: '"baseline:v1.34": procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  },
  {
    labels: at("baseline"),
    spec: {
      ...spec(context({ seLinuxOptions: { type: "spc_t" } }), context({ seLinuxOptions: { role: "r" } }, "d")),
      securityContext: { seLinuxOptions: { user: "u", type: "bad_t" } },
    },
    violation:
      '"baseline:latest": seLinuxOptions (pod and containers "c", "d" set forbidden securityContext.seLinuxOptions: types "bad_t", "spc_t"; user may not be set; role may not be set)',
  },
  { labels: at("baseline"), spec: spec(context({ seLinuxOptions: { type: "container_engine_t", level: "s0" } })) },
  {
    labels: at("baseline", "v1.30"),
    spec: spec(context({ seLinuxOptions: { type: "container_engine_t" } })),
    violation:
      '"baseline:v1.30": seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
  },
  {
    labels: at("baseline"),
    spec: {
      ...spec(context({ seccompProfile: { type: "Unconfined" } }), context(nonRoot, "d")),
      securityContext: { seccompProfile: { type: "Unconfined" } },
    },
    violation:
      '"baseline:latest": seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  },
  {
    labels: at("baseline"),
    spec: {
      ...spec(context({ appArmorProfile: { type: "Unconfined" } }), context({}, "d")),
      securityContext: { appArmorProfile: { type: "RuntimeDefault" } },
    },
    violation:
      '"baseline:latest": forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
  },
  {
    labels: at("baseline"),
    spec: spec(context({})),
    annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" },
    violation:
      '"baseline:latest": forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
  },
  {
    labels: at("baseline"),
    spec: {
      ...spec(context({ windowsOptions: { hostProcess: true } })),
      hostNetwork: true,
      hostIPC: true,
      securityContext: { windowsOptions: { hostProcess: true } },
    },
    violation:
      '"baseline:latest": host namespaces (hostNetwork=true, hostIPC=true), hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
  },
  { labels: at("restricted"), spec: { ...spec(context(hardened)), securityContext: nonRoot } },
  { labels: at("restricted"), spec: spec(context({ ...hardened, ...nonRoot })) },
  {
    labels: at("restricted"),
    spec: spec(context({})),
    violation:
      '"restricted:latest": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  },
  {
    labels: at("restricted", "v1.0"),
    spec: spec(context({ capabilities: { add: ["BPF"] } })),
    violation:
      '"restricted:v1.0": non-default capabilities (container "c" must not include "BPF" in securityContext.capabilities.add), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
  },
  {
    labels: at("restricted"),
    spec: {
      ...spec(
        context({ ...hardened, ...nonRoot, runAsNonRoot: false, runAsUser: 0 }),
        context({ ...hardened, capabilities: { add: ["CHOWN", "NET_BIND_SERVICE"], drop: ["ALL"] } }, "d"),
      ),
      securityContext: { ...nonRoot, runAsUser: 0 },
      volumes: [
        { name: "v", hostPath: { path: "/" } },
        { name: "n", nfs: { server: "s", path: "/" } },
        { name: "s", secret: { secretName: "s" } },
      ],
    },
    violation:
      '"restricted:latest": unrestricted capabilities (container "d" must not include "CHOWN" in securityContext.capabilities.add), restricted volume types (volumes "v", "n" use restricted volume types "hostPath", "nfs"), runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod and container "c" must not set runAsUser=0)',
  },
  {
    labels: at("restricted"),
    spec: {
      ...spec(context({ ...hardened, procMount: "Unmasked", runAsUser: 0 })),
      hostUsers: false,
      securityContext: nonRoot,
    },
    violation: '"restricted:latest": procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  },
];

/** Labels of a namespace, and what is said of them: the problem of each label. */
export const badLabels: readonly [labels: Record<string, string>, causes: string[]][] = [
  [
    { enforce: "none", "warn-version": "1.2" },
    [
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "none": must be one of privileged, baseline, restricted',
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"',
    ],
  ],
  [
    { audit: "Baseline", "audit-version": "v1.01" },
    [
      'metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "Baseline": must be one of privileged, baseline, restricted',
      'metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: "v1.01": must be "latest" or "v1.x"',
    ],
  ],
];

export const labelled = (labels: Record<string, string>) =>
  Object.fromEntries(Object.entries(labels).map(([mode, value]) => [`pod-security.kubernetes.io/${mode}`, value]));

export const podOf = ({ spec: wanted }: Case, name = "p") => ({ metadata: { name }, spec: wanted });

export const deploymentOf = ({ spec: wanted, annotations = {} }: Case) => {
  const labels = { a: "b" };
  const template = { metadata: { labels, annotations }, spec: wanted };
  return { metadata: { name: "w" }, spec: { selector: { matchLabels: labels }, template } };
};
