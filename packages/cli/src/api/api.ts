import type { Command } from "commander";
import { directory } from "../up/up.ts";
import { apiVariables, oidcVariables } from "./variables.ts";

interface Variable {
  name: string;
  default: string;
  description: string;
}

export interface ApiCommandOptions {
  kubeconfig?: string;
  dataDir?: string;
  handouts?: string[];
  release?: boolean;
}

/** Loaded when it runs: the other commands need no server. */
export function addApiCommand(berg: Command): void {
  berg
    .command("api")
    .description("serve the API and the pages for the instances of a cluster, until told to stop")
    .option("--kubeconfig <file>", "the cluster, in place of KUBECONFIG, the pod's own or ~/.kube/config")
    .option(
      "--data-dir <directory>",
      "keep data in a SQLite file there, for one process; in place of DATABASE_URL",
      directory,
    )
    .option(
      "--handouts <directory>",
      "where files for players are that Challenges name by a relative downloadUrl; can be given several times",
      (text: string, others: string[] | undefined) => [...(others ?? []), directory(text)],
    )
    .option("--release", "only remove the API's finalizer from all ChallengeInstances, before Berg is uninstalled")
    .addHelpText("after", `\nEnvironment:\n${apiVariables.map(helpOf).join("\n")}`)
    .addHelpText("after", `\nOf each provider in OIDC_PROVIDERS:\n${oidcVariables.map(helpOf).join("\n")}`)
    .action(async (options: ApiCommandOptions) => (await import("./run-api.ts")).runApi(options));
}

function helpOf({ name, default: byDefault, description }: Variable): string {
  return `  ${name.padEnd(32)} ${description}${byDefault === "" ? "" : ` (${byDefault})`}`;
}
