/** The controls of the baseline level: what a pod could take over its node with. */
import { goQuote } from "../../errors/go-text.ts";
import { containersOf, type Handler, type PodLike } from "./pod-spec.ts";
import { badValues, containersWith, named, plural, quoted, settersOf, sorted, type Violation } from "./violation.ts";

export type Check = (pod: PodLike) => Violation | undefined;

export interface Control {
  readonly id: string;
  /** By the minor version of Kubernetes from which on each holds, ascending. */
  readonly versions: readonly (readonly [since: number, check: Check])[];
  /** Of controls of the baseline level that this one is stricter than. */
  readonly overrides?: readonly string[];
}

const allowedCapabilities = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];
const seLinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];
const sysctls = [
  ...["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies"],
  ...["net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start"],
];
const sysctlsSince27 = [...sysctls, "net.ipv4.ip_local_reserved_ports"];
const sysctlsSince29 = [
  ...sysctlsSince27,
  ...["net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout"],
  ...["net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes"],
];
const sysctlsSince32 = [...sysctlsSince29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

/** In the order in which violations are told. */
export const baseline: readonly Control[] = [
  { id: "appArmorProfile", versions: [[0, appArmorProfile]] },
  { id: "capabilities_baseline", versions: [[0, capabilities]] },
  { id: "hostNamespaces", versions: [[0, hostNamespaces]] },
  { id: "hostPathVolumes", versions: [[0, hostPathVolumes]] },
  { id: "hostPorts", versions: [[0, hostPorts]] },
  { id: "hostProbesAndHostLifecycle", versions: [[34, probeAndLifecycleHosts]] },
  { id: "privileged", versions: [[0, privileged]] },
  {
    id: "procMount",
    versions: [
      [0, procMount],
      [35, unlessInUserNamespace(procMount)],
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      [0, seLinuxOptions(seLinuxTypes)],
      [31, seLinuxOptions([...seLinuxTypes, "container_engine_t"])],
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      [0, seccompAnnotations],
      [19, seccompProfile],
    ],
  },
  {
    id: "sysctls",
    versions: [
      [0, forbiddenSysctls(sysctls)],
      [27, forbiddenSysctls(sysctlsSince27)],
      [29, forbiddenSysctls(sysctlsSince29)],
      [32, forbiddenSysctls(sysctlsSince32)],
    ],
  },
  { id: "windowsHostProcess", versions: [[0, windowsHostProcess]] },
];

/** Root in a user namespace is nobody in particular on the node. */
export function unlessInUserNamespace(check: Check): Check {
  return (pod) => (pod.spec?.hostUsers === false ? undefined : check(pod));
}

function appArmorProfile(pod: PodLike): Violation | undefined {
  const isGood = (type: string) => type === "RuntimeDefault" || type === "Localhost";
  const types = badValues(pod, ({ appArmorProfile }) => appArmorProfile?.type, isGood);
  const setters = settersOf(
    pod,
    ({ appArmorProfile }) => appArmorProfile !== undefined && !isGood(appArmorProfile.type),
  );
  const annotations = Object.entries(pod.metadata?.annotations ?? {})
    .filter(
      ([key, value]) => key.startsWith("container.apparmor.security.beta.kubernetes.io/") && !isAppArmorValue(value),
    )
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .sort();
  const who = [
    ...(setters ? [setters] : []),
    ...(annotations.length > 0 ? [plural(annotations.length, "annotation")] : []),
  ];
  if (who.length === 0) return undefined;
  const values = [...types, ...annotations];
  return {
    reason: plural(values.length, "forbidden AppArmor profile"),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

function isAppArmorValue(value: string): boolean {
  return value === "" || value === "runtime/default" || value.startsWith("localhost/");
}

function capabilities(pod: PodLike): Violation | undefined {
  const isBad = (capability: string) => !allowedCapabilities.includes(capability);
  const containers = containersWith(pod, ({ capabilities }) => capabilities?.add?.some(isBad) ?? false);
  if (containers.length === 0) return undefined;
  const added = containers.flatMap(({ securityContext }) => securityContext?.capabilities?.add?.filter(isBad) ?? []);
  return {
    reason: "non-default capabilities",
    detail: `${named(containers)} must not include ${quoted(sorted(added))} in securityContext.capabilities.add`,
  };
}

function hostNamespaces({ spec = {} }: PodLike): Violation | undefined {
  const set = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
  if (set.length === 0) return undefined;
  return { reason: "host namespaces", detail: set.map((field) => `${field}=true`).join(", ") };
}

function hostPathVolumes({ spec = {} }: PodLike): Violation | undefined {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural(names.length, "volume")} ${quoted(names)}` };
}

function hostPorts(pod: PodLike): Violation | undefined {
  const containers = containersWith(pod, (_, { ports = [] }) => ports.some(({ hostPort }) => hostPort));
  if (containers.length === 0) return undefined;
  const all = containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort }) => (hostPort ? [`${hostPort}`] : [])),
  );
  const ports = sorted(all);
  const use = plural(containers.length, "uses", "use");
  return {
    reason: "hostPort",
    detail: `${named(containers)} ${use} ${plural(ports.length, "hostPort")} ${ports.join(", ")}`,
  };
}

function probeAndLifecycleHosts(pod: PodLike): Violation | undefined {
  const found = containersOf(pod).flatMap((container) => {
    const { name, livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
    const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
    return handlers.flatMap(hostsOf).map((host) => ({ name, host }));
  });
  if (found.length === 0) return undefined;
  const names = sorted(found.map(({ name }) => name)).map((name) => ({ name }));
  const hosts = sorted(found.map(({ host }) => host));
  const use = plural(names.length, "uses", "use");
  const what = plural(hosts.length, "probe or lifecycle host");
  return { reason: "probe or lifecycle host", detail: `${named(names)} ${use} ${what} ${quoted(hosts)}` };
}

function hostsOf(handler: Handler | undefined): string[] {
  return [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host): host is string => Boolean(host));
}

function privileged(pod: PodLike): Violation | undefined {
  const containers = containersWith(pod, (context) => context.privileged === true);
  if (containers.length === 0) return undefined;
  return { reason: "privileged", detail: `${named(containers)} must not set securityContext.privileged=true` };
}

export function procMount(pod: PodLike): Violation | undefined {
  const containers = containersWith(pod, (context) => (context.procMount ?? "Default") !== "Default");
  if (containers.length === 0) return undefined;
  const types = sorted(containers.map(({ securityContext }) => securityContext?.procMount ?? ""));
  return {
    reason: "procMount",
    detail: `${named(containers)} must not set securityContext.procMount to ${quoted(types)}`,
  };
}

function seLinuxOptions(allowedTypes: readonly string[]): Check {
  const isGood = (type: string) => allowedTypes.includes(type);
  return (pod) => {
    let [setsUser, setsRole] = [false, false];
    const setters = settersOf(pod, ({ seLinuxOptions: { type = "", user = "", role = "" } = {} }) => {
      setsUser ||= user !== "";
      setsRole ||= role !== "";
      return !isGood(type) || user !== "" || role !== "";
    });
    if (setters === undefined) return undefined;
    const types = badValues(pod, ({ seLinuxOptions }) => seLinuxOptions?.type, isGood);
    const problems = [
      ...(types.length > 0 ? [`${plural(types.length, "type")} ${quoted(types)}`] : []),
      ...(setsUser ? ["user may not be set"] : []),
      ...(setsRole ? ["role may not be set"] : []),
    ];
    return {
      reason: "seLinuxOptions",
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${problems.join("; ")}`,
    };
  };
}

/** Before there was a field for it. */
function seccompAnnotations(pod: PodLike): Violation | undefined {
  const keys = [
    "seccomp.security.alpha.kubernetes.io/pod",
    ...containersOf(pod).map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`),
  ];
  const isGood = (value: string) =>
    ["runtime/default", "docker/default"].includes(value) || value.startsWith("localhost/");
  const annotations = pod.metadata?.annotations ?? {};
  const found = sorted(
    keys.flatMap((key) => {
      const value = annotations[key];
      return value === undefined || isGood(value) ? [] : [`${key}=${goQuote(value)}`];
    }),
  );
  if (found.length === 0) return undefined;
  return { reason: "seccompProfile", detail: `forbidden ${plural(found.length, "annotation")} ${found.join(", ")}` };
}

function isGoodSeccomp(type: string): boolean {
  return type === "Localhost" || type === "RuntimeDefault";
}

export function seccompProfile(pod: PodLike): Violation | undefined {
  const setters = settersOf(
    pod,
    ({ seccompProfile }) => seccompProfile !== undefined && !isGoodSeccomp(seccompProfile.type),
  );
  if (setters === undefined) return undefined;
  const types = badValues(pod, ({ seccompProfile }) => seccompProfile?.type, isGoodSeccomp);
  return {
    reason: "seccompProfile",
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
  };
}

function forbiddenSysctls(allowed: readonly string[]): Check {
  return ({ spec = {} }) => {
    const names = (spec.securityContext?.sysctls ?? [])
      .map(({ name }) => name)
      .filter((name) => !allowed.includes(name));
    return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") };
  };
}

function windowsHostProcess(pod: PodLike): Violation | undefined {
  const setters = settersOf(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
  if (setters === undefined) return undefined;
  return { reason: "hostProcess", detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
}
