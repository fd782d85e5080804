import type { Command } from "commander";

export interface ClustersCommandOptions {
  kubeconfig?: string;
  gardenKubeconfig?: string;
}

/** Loaded when it runs: the other commands need neither a client nor metrics. */
export function addClustersCommand(berg: Command): void {
  berg
    .command("clusters")
    .description(
      "make the clusters that are asked for with Gardener, or take in those that are brought along, and hand out narrow, short-lived access to them, until told to stop",
    )
    .option(
      "--kubeconfig <file>",
      "the cluster with the Clusters, in place of KUBECONFIG, the pod's own or ~/.kube/config",
    )
    .option("--garden-kubeconfig <file>", "Gardener's API server, in place of GARDEN_KUBECONFIG")
    .addHelpText(
      "after",
      `
Environment (deploy/clusters/settings.yaml says what each means, and names the others):
  GARDEN_KUBECONFIG        how to reach Gardener
  GARDEN_PROJECT           the project of Gardener in which Shoots are made and accounts are found
  POOL_RULES               which accounts a plan gets
  BYOC_ALLOW_CIDRS         subnets in which a cluster that is brought along may be, though it is refused by default
  ALLOW_ESCALATING_RULES   whether kubeconfigs may have rules that a revocation cannot undo`,
    )
    .action(async (options: ClustersCommandOptions) => (await import("./run-clusters.ts")).runClusters(options));
}
