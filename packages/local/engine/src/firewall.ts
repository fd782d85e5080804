/**
 * Whether Podman can set up the network of a container here. Its back end calls `iptables` unless it was built for
 * nftables, and where that command is missing every start fails with an error that names no program.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findCommand } from "./find-command.ts";
import type { Environment } from "./places.ts";

const run = promisify(execFile);

/** Where a service that systemd started looks for programs. */
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const helperDirectories = [
  "/usr/libexec/podman",
  "/usr/lib/podman",
  "/usr/local/libexec/podman",
  "/usr/local/lib/podman",
];

/** `podman info`, as far as it is needed. The second field is there since Podman 4.6. */
interface HostInfo {
  networkBackend?: string;
  networkBackendInfo?: { path?: string };
}

export interface FirewallOptions {
  /** Whether a service that this process did not start runs Podman's networks. */
  isSystemService: boolean;
  signal?: AbortSignal | undefined;
}

/** What is missing and how to get it; undefined where nothing is, or where it cannot be found out. */
export async function missingFirewall(
  env: Environment,
  { isSystemService, signal }: FirewallOptions,
): Promise<string | undefined> {
  const PATH = isSystemService ? `${env.PATH ?? ""}:${systemPath}` : env.PATH;
  if (findCommand("iptables", { PATH })) return undefined;
  const podman = findCommand("podman", { PATH });
  const backend = podman && (await backendOf(podman, env, signal));
  if (!backend) return undefined;
  return `Podman sets up the networks of containers with ${backend}, which needs the command iptables, and there is none in ${PATH}; install the package iptables (Debian: apt-get install iptables)`;
}

/** The name of a back end that calls iptables; undefined for any other. */
async function backendOf(podman: string, env: Environment, signal?: AbortSignal): Promise<string | undefined> {
  const options = { env: { ...env }, signal };
  try {
    const { stdout } = await run(podman, ["info", "--format", "{{json .Host}}"], options);
    const { networkBackend, networkBackendInfo } = JSON.parse(stdout) as HostInfo;
    if (networkBackend === "cni") return "the CNI plugins";
    if (networkBackend !== "netavark") return undefined;
    const driver = env.NETAVARK_FW ?? (await defaultDriver(networkBackendInfo?.path, options));
    return driver === "iptables" ? "netavark" : undefined;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

/** Those that know more than one say which is theirs; those before them know iptables alone. */
async function defaultDriver(
  path: string | undefined,
  options: { env: NodeJS.ProcessEnv; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const netavark = path ?? findCommand("netavark", { PATH: helperDirectories.join(":") });
  if (!netavark) return undefined;
  const { stdout } = await run(netavark, ["version"], options);
  const { default_fw_driver: driver = "iptables" } = JSON.parse(stdout) as { default_fw_driver?: string };
  return driver;
}
