/**
 * Two switches of a bridge that engines leave as they are. The engine makes a bridge with its first container and may
 * remove it with its last, so they are set whenever a pod has come.
 *
 * - Packets between two of its ports come by the packet rules, where policies are. Else they are only switched.
 * - A port may send back what it brought: a pod that calls its own Service may be the one who answers.
 */
import { access, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const interfaces = "/sys/class/net";

export async function prepareBridge(bridge: string): Promise<void> {
  const directory = join(interfaces, bridge);
  const files = ["nf_call_iptables", "nf_call_ip6tables"].map((name) => join(directory, "bridge", name));
  const ports = await readdir(join(directory, "brif"));
  files.push(...ports.map((port) => join(directory, "brif", port, "hairpin_mode")));
  await Promise.all(files.map((file) => writeFile(file, "1").catch(unlessGone)));
}

/** Whether the kernel can show bridged packets to the rules: the module br_netfilter. */
export async function canFilterBridges(): Promise<boolean> {
  return access("/proc/sys/net/bridge").then(
    () => true,
    () => false,
  );
}

/** A port goes with its container; a kernel that cannot filter bridges has no such file. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT" && error.code !== "ENODEV") throw error;
}
