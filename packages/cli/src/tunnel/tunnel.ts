import { type Command, Option } from "commander";
import { directory } from "../up/up.ts";

export interface TunnelCommandOptions {
  kubeconfig?: string;
  dataDir: string;
  runtime: "auto" | "docker" | "podman";
}

const absent =
  "this Berg cannot make tunnels: its image has no part that does. They need the container engine of a machine; " +
  "run `npm run -s berg -- tunnel` from a checkout there\n";

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
    .action(async (options: TunnelCommandOptions) => {
      const run = await import("./run-tunnel.ts").catch(isAbsent);
      if (run) return run.runTunnel(options);
      process.stderr.write(absent);
      process.exitCode = 2;
    });
}

/** The image of the controller leaves tunnels out; any other mistake is one. */
function isAbsent(error: unknown): undefined {
  const { code, message = "" } = error as NodeJS.ErrnoException;
  if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes("'@berg/tunnel'")) throw error;
}
