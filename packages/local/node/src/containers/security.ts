/** What a container may do: securityContext in the engine's terms. The container's own settings come before the pod's. */
import type { Pod } from "@berg/kube";
import type { HostConfig, Image } from "@berg/local-engine";
import { ConfigError } from "./environment.ts";
import { bareName } from "./forbidden.ts";
import { type Container, podText } from "./shapes.ts";

export interface Security {
  User?: string;
  HostConfig: Pick<HostConfig, "CapAdd" | "CapDrop" | "ReadonlyRootfs" | "SecurityOpt" | "GroupAdd" | "Sysctls">;
}

export function security(pod: Pod, container: Container, image: Image): Security {
  const own = container.securityContext ?? {};
  const common = pod.spec?.securityContext ?? {};
  refuseRoot(pod, container, image);
  const user = own.runAsUser ?? common.runAsUser;
  const group = own.runAsGroup ?? common.runAsGroup;
  const groups = [...(common.supplementalGroups ?? []), ...(common.fsGroup === undefined ? [] : [common.fsGroup])];
  const name = userText(user, group, image.user);
  return {
    ...(name !== undefined && { User: name }),
    HostConfig: {
      ...capabilities(own.capabilities?.add ?? [], own.capabilities?.drop ?? []),
      ...(own.readOnlyRootFilesystem && { ReadonlyRootfs: true }),
      ...(groups.length > 0 && { GroupAdd: groups.map(String) }),
      ...securityOptions(pod, container),
    },
  };
}

/** Of the pause container: settings of the kernel belong to the pod's namespaces, which are its own. */
export function podSysctls(pod: Pod): Pick<HostConfig, "Sysctls"> {
  const sysctls = pod.spec?.securityContext?.sysctls ?? [];
  if (sysctls.length === 0) return {};
  return { Sysctls: Object.fromEntries(sysctls.map(({ name, value }) => [name, value])) };
}

function userText(user: number | undefined, group: number | undefined, imageUser: string): string | undefined {
  if (user === undefined && group === undefined) return undefined;
  const [nameOfImage = ""] = imageUser.split(":");
  const first = user === undefined ? nameOfImage || "0" : String(user);
  return group === undefined ? first : `${first}:${group}`;
}

/** kubelet's words. Whether a name is root's cannot be told without looking into the image. */
function refuseRoot(pod: Pod, container: Container, image: Image): void {
  const own = container.securityContext ?? {};
  const common = pod.spec?.securityContext ?? {};
  if (!(own.runAsNonRoot ?? common.runAsNonRoot)) return;
  const which = `(pod: "${podText(pod)}", container: ${container.name})`;
  const user = own.runAsUser ?? common.runAsUser;
  if (user === 0) throw new ConfigError(`container's runAsUser breaks non-root policy ${which}`);
  if (user !== undefined) return;
  const [name = ""] = image.user.split(":");
  if (name === "" || /^0+$/.test(name))
    throw new ConfigError(`container has runAsNonRoot and image will run as root ${which}`);
  if (!/^\d+$/.test(name))
    throw new ConfigError(
      `container has runAsNonRoot and image has non-numeric user (${name}), cannot verify user is non-root ${which}`,
    );
}

// containerd's; Docker's are the same, Podman's fewer, and an author would notice only on the cluster.
const ordinary = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];

/** All of them by name, so that no engine adds its own. What is dropped by name stays dropped. */
function capabilities(add: readonly string[], drop: readonly string[]): Pick<HostConfig, "CapAdd" | "CapDrop"> {
  const [added, dropped] = [add.map(bareName), drop.map(bareName)];
  const named = dropped.filter((name) => name !== all);
  if (added.includes(all)) return { CapAdd: [all], ...(named.length > 0 && { CapDrop: named.map(fullName) }) };
  const before = dropped.includes(all) ? [] : ordinary;
  const left = [...new Set([...before, ...added])].filter((name) => !named.includes(name));
  return { CapDrop: [all], ...(left.length > 0 && { CapAdd: left.sort().map(fullName) }) };
}

const all = "ALL";
const fullName = (name: string) => `CAP_${name}`;

function securityOptions(pod: Pod, container: Container): Pick<HostConfig, "SecurityOpt"> {
  const own = container.securityContext ?? {};
  const options: string[] = [];
  if (own.allowPrivilegeEscalation === false) options.push("no-new-privileges");
  const seccomp = own.seccompProfile ?? pod.spec?.securityContext?.seccompProfile;
  if (seccomp?.type === "Unconfined") options.push("seccomp=unconfined");
  if (seccomp?.type === "Localhost")
    throw new ConfigError("this node has no seccomp profiles of its own: use RuntimeDefault or Unconfined");
  return options.length > 0 ? { SecurityOpt: options } : {};
}
