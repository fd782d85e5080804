import { type Command, Option } from "commander";
import { directory } from "../up/up.ts";

export interface TunnelCommandOptions {
  kubeconfig?: string;
  dataDir: string;
  runtime: "auto" | "docker" | "podman";
}

/** Loaded when it runs: the other commands need no engine. */
export function addTunnelCommand(berg: Command): void {
  berg
    .command("tunnel")
    .description(
      "let containers of this machine reach the servers that ContainerNetworkTunnelProxies name, and no others; berg up does so by itself",
    )
    .option("--data-dir <directory>", "where the client proxy and the logs are kept", directory, ".berg")
    .addOption(
      new Option("--runtime <engine>", "whose networks and containers")
        .choices(["auto", "docker", "podman"])
        .default("auto"),
    )
    .option("--kubeconfig <file>", "the cluster, in place of KUBECONFIG, the pod's own or ~/.kube/config")
    .action(async (options: TunnelCommandOptions) => (await import("./run-tunnel.ts")).runTunnel(options));
}
