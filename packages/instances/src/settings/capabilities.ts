/** Capabilities of Linux: which exist, and which a container may add unless the organiser decides otherwise. */
import { quoted } from "@berg/apimachinery";

/** What Kubernetes' Pod Security Standards let a container add at the level `baseline`. */
export const baselineCapabilities: readonly string[] = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"],
  ...["SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];

/**
 * Baseline, and three that many challenges need and whose effect ends at the pod. Any other makes root in a container
 * root on the node, or comes close to it: `DAC_READ_SEARCH` alone reads every file of the host by its handle.
 * deploy/admission-policy-contents.yaml has the same list, and a test compares the two.
 */
export const defaultCapabilities: readonly string[] = [...baselineCapabilities, "NET_ADMIN", "NET_RAW", "SYS_PTRACE"];

/** Allows all of them where it stands in a list, and adds all of them where a container asks for it. */
const all = "ALL";

const known: ReadonlySet<string> = new Set([
  ...[all, "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN"],
  ...["DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE"],
  ...["LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST"],
  ...["NET_RAW", "PERFMON", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT"],
  ...["SYS_CHROOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME"],
  ...["SYS_TTY_CONFIG", "WAKE_ALARM"],
]);

export function isCapability(name: string): boolean {
  return known.has(name);
}

export function isAllowedCapability(name: string, allowed: readonly string[]): boolean {
  return allowed.includes(name) || allowed.includes(all);
}

/** `parseCapabilities("NET_ADMIN, SYS_PTRACE")`; throws what is wrong with the list. */
export function parseCapabilities(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  for (const name of names) {
    if (name.startsWith("CAP_") && known.has(name.slice(4)))
      throw new Error(`${quoted(name)} has the prefix CAP_; write ${name.slice(4)}`);
    if (!known.has(name)) throw new Error(`${quoted(name)} is not a capability of Linux such as SYS_PTRACE`);
  }
  return [...new Set(names)];
}
