import type { Command } from "commander";

export function addLintCommand(berg: Command): void {
  berg
    .command("lint")
    .argument("<file...>", "YAML files with Challenges, or - for the standard input")
    .description(
      "check Challenges without a cluster: what is wrong, where and how to fix it; exits with 1 where one could not run",
    )
    .action(async (names: string[]) => {
      const { runLint } = await import("./run-lint.ts");
      process.exitCode = await runLint(names, process);
    });
}
