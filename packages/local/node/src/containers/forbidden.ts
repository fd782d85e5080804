/**
 * What would make a container a part of its host. The node refuses it in whatever namespace the pod is, and whatever the
 * namespace's Pod Security labels say: the machine of `berg up` is somebody's own.
 */
import type { Pod } from "@berg/kube";
import { type Container, initContainersOf, mainContainersOf } from "./shapes.ts";

/** Why the pod must not run here; undefined where it may. `capabilities`: those that containers may add. */
export function forbiddenOf(pod: Pod, capabilities: readonly string[]): string | undefined {
  const { spec } = pod;
  if (spec?.hostNetwork) return "no pod gets the host's network (hostNetwork)";
  if (spec?.hostPID) return "no pod sees the host's processes (hostPID)";
  if (spec?.hostIPC) return "no pod gets the host's IPC (hostIPC)";
  if (spec?.resourceClaims?.length) return "no pod gets devices (resourceClaims)";
  const volume = spec?.volumes?.find(({ hostPath }) => hostPath);
  if (volume) return `no pod gets files of the host (hostPath of volume ${volume.name})`;
  const sysctl = spec?.securityContext?.sysctls?.find(({ name }) => !safeSysctls.includes(name));
  if (sysctl) return `no pod sets the sysctl ${sysctl.name}; those that Kubernetes calls safe can be set`;
  for (const container of [...initContainersOf(pod), ...mainContainersOf(pod)]) {
    const why = forbiddenIn(container, capabilities);
    if (why) return why;
  }
  return undefined;
}

function forbiddenIn({ name, securityContext, volumeDevices }: Container, allowed: readonly string[]) {
  if (securityContext?.privileged) return `no container is privileged (container ${name})`;
  if (volumeDevices?.length) return `no container gets devices (volumeDevices of container ${name})`;
  const refused = (securityContext?.capabilities?.add ?? []).map(bareName).filter((one) => !isAllowed(one, allowed));
  if (refused.length === 0) return undefined;
  return `no container gets the capabilities ${refused.join(", ")} (container ${name}); berg up --allow-capabilities ${refused.join(",")} allows them`;
}

/** `NET_ADMIN` and `CAP_NET_ADMIN` are both written in manifests, and engines take small letters too. */
export function bareName(capability: string): string {
  return capability.toUpperCase().replace(/^CAP_/, "");
}

function isAllowed(capability: string, allowed: readonly string[]): boolean {
  return allowed.includes(capability) || allowed.includes("ALL");
}

/** kubelet's list: what reaches no further than the pod's own namespaces, and uses no memory of the host. */
const safeSysctls = [
  ...["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_local_reserved_ports"],
  ...["net.ipv4.ip_unprivileged_port_start", "net.ipv4.ping_group_range", "net.ipv4.tcp_fin_timeout"],
  ...["net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_keepalive_time"],
  ...["net.ipv4.tcp_rmem", "net.ipv4.tcp_syncookies", "net.ipv4.tcp_wmem"],
];
