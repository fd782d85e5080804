import type { Command } from "commander";
import { allowCapabilities } from "./up/up.ts";

export function addLintCommand(berg: Command): void {
  berg
    .command("lint")
    .argument("<file...>", "YAML files with Challenges, Competitions and Pages, or - for the standard input")
    .description(
      "check Challenges, Competitions and Pages without a cluster: what is wrong, where and how to fix it; exits with 1 where one has errors",
    )
    .option(...allowCapabilities)
    .action(async (names: string[], options: { allowCapabilities?: string }) => {
      const { runLint } = await import("./run-lint.ts");
      process.exitCode = await runLint(names, process, options.allowCapabilities);
    });
}
