import type { Command } from "commander";

/** Loaded when it runs: the other commands need neither a client nor metrics. */
export function addListenerCommand(berg: Command): void {
  berg
    .command("listener")
    .description(
      "watch the pods of all instances: keep what is known about them true, and find those that are stuck, until told to stop",
    )
    .option("--kubeconfig <file>", "the cluster, in place of KUBECONFIG, the pod's own or ~/.kube/config")
    .addHelpText(
      "after",
      `
Environment (deploy/listener-settings.yaml says what each means):
  CHALLENGE_WATCHER_WORKER_COUNT   how many pods are looked at at a time
  STUCK_POLICY                     report, restart or terminate
  STUCK_RESTARTS, STUCK_…_AFTER    how often, and how long until a pod is taken for stuck
  DATABASE_URL                     where records are kept: postgres://…, or a file; none: in the cluster`,
    )
    .action(async (options: { kubeconfig?: string }) => (await import("./run-listener.ts")).runListener(options));
}
