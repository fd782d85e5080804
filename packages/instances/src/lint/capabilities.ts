import { quoted } from "@berg/apimachinery";
import type { ChallengeContainer, FieldPath } from "@berg/resources";
import { isBaselineCapability } from "../builders/namespace.ts";
import { error, type Problem, warning } from "./problem.ts";

const known: ReadonlySet<string> = new Set([
  ...["ALL", "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN"],
  ...["DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE"],
  ...["LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST"],
  ...["NET_RAW", "PERFMON", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT"],
  ...["SYS_CHROOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME"],
  ...["SYS_TTY_CONFIG", "WAKE_ALARM"],
]);

/** With any of these, root reads a file whatever its mode. */
const readEverything = ["DAC_OVERRIDE", "DAC_READ_SEARCH", "ALL"];

export function capabilityProblems({ additionalCapabilities, dynamicFlag }: ChallengeContainer, at: FieldPath) {
  return additionalCapabilities.flatMap((name, index): Problem[] => {
    const path = [...at, "additionalCapabilities", index];
    if (name.startsWith("CAP_"))
      return [error(path, `${quoted(name)} has the prefix CAP_`, `write ${name.replace(/^(CAP_)+/, "")}`)];
    const problems: Problem[] = [];
    if (!known.has(name))
      problems.push(warning(path, `Linux has no capability ${quoted(name)}`, "correct it, or remove it"));
    else if (!isBaselineCapability(name)) {
      const message = `${name} is more than ordinary pods may have, so that the namespace of every instance is "privileged"`;
      problems.push(warning(path, message, "remove it where the challenge works without it"));
    }
    if (dynamicFlag?.executable && readEverything.includes(name)) {
      const message = `with ${name} root in the container reads the flag out of the executable without running it`;
      problems.push(warning(path, message, "remove it, or hand over the flag another way"));
    }
    return problems;
  });
}
