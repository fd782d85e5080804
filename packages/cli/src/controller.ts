import type { Command } from "commander";

/** Loaded when it runs: the other commands need neither a client nor metrics. */
export function addControllerCommand(berg: Command): void {
  berg
    .command("controller")
    .description(
      "keep every ChallengeInstance as it should be, until told to stop; deploy/settings.yaml lists the environment variables that it reads",
    )
    .option("--kubeconfig <file>", "the cluster, in place of KUBECONFIG, the pod's own or ~/.kube/config")
    .action(async (options: { kubeconfig?: string }) => (await import("./run-controller.ts")).runController(options));
}
