import type { Command } from "commander";

export interface JanitorCommandOptions {
  kubeconfig?: string;
  once?: boolean;
  interval: string;
  dryRun?: boolean;
  force?: boolean;
}

/** Loaded when it runs: the other commands need neither a client nor metrics. */
export function addJanitorCommand(berg: Command): void {
  berg
    .command("janitor")
    .description(
      "end instances that are past their time, also while the controller is down, and remove what belongs to no instance; any number may run",
    )
    .option("--once", "sweep once, print what was done and why, and exit: 0, or 1 where something was left undone")
    .option("--interval <time>", "how often everything is looked at, beside what changes and what falls due", "30s")
    .option("--dry-run", "only print what a sweep would do")
    .option("--force", "with --once: remove namespaces without an instance even where most of all are such")
    .option("--kubeconfig <file>", "the cluster, in place of KUBECONFIG, the pod's own or ~/.kube/config")
    .addHelpText(
      "after",
      "\nEnvironment: JANITOR_GRACE, GHOST_GRACE; deploy/janitor-settings.yaml says what they mean.",
    )
    .action(async (options: JanitorCommandOptions) => (await import("./run-janitor.ts")).runJanitor(options));
}
