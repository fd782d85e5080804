import { generatedClusterFiles, generatedFiles } from "@berg/resources";
import { Command } from "commander";
import { addAdminCommand } from "./admin/admin.ts";
import { addApiCommand } from "./api/api.ts";
import { addClustersCommand } from "./clusters.ts";
import { addControllerCommand } from "./controller.ts";
import { addDevCommand } from "./dev/dev.ts";
import { addInstanceCommand } from "./instance/instance.ts";
import { addJanitorCommand } from "./janitor.ts";
import { addLintCommand } from "./lint.ts";
import { addListenerCommand } from "./listener.ts";
import { overview } from "./overview.ts";
import { addSamplesCommand } from "./samples/command.ts";
import { addTunnelCommand } from "./tunnel/tunnel.ts";
import { addUpCommand } from "./up/up.ts";
import { version } from "./version.ts";

/** `berg …`: only wires the other packages together. */
export function program(out: { write(text: string): unknown }): Command {
  const berg = new Command("berg")
    .description("isolated, short-lived challenge instances for hacking competitions")
    .version(version, "-v, --version")
    .showHelpAfterError()
    // What was typed wrong is told apart from what went wrong (1).
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .argument("[command]")
    .usage("[options] [command]")
    .helpCommand(true)
    .action((unknown: string | undefined, _, command: Command) => {
      if (unknown !== undefined) command.error(`error: there is no command "${unknown}"`);
      out.write(overview());
    });

  berg
    .command("version")
    .description("print the version")
    .action(() => void out.write(`${version}\n`));

  berg
    .command("crds")
    .description("print our custom resource definitions as YAML, to be piped to kubectl apply -f -")
    .option("--clusters", "those of berg clusters, in place of those that every Berg has")
    .action(({ clusters }: { clusters?: boolean }) => {
      const files = clusters ? generatedClusterFiles() : generatedFiles();
      out.write([...files.values()].join("---\n"));
    });

  addLintCommand(berg);
  addControllerCommand(berg);
  addListenerCommand(berg);
  addJanitorCommand(berg);
  addApiCommand(berg);
  addSamplesCommand(berg);
  addUpCommand(berg);
  addAdminCommand(berg);
  addTunnelCommand(berg);
  addClustersCommand(berg);
  addDevCommand(berg);
  addInstanceCommand(berg);

  return berg;
}
