import { type Command, Option } from "commander";

/** Loaded when it runs: the other commands need no engine. */
export function addSamplesCommand(berg: Command): void {
  berg
    .command("samples")
    .description("the sample challenges")
    .command("build")
    .description("build their images out of this machine's Node, and load them into its engine")
    .addOption(
      new Option("--runtime <engine>", "whose images they become")
        .choices(["auto", "docker", "podman"])
        .default("auto"),
    )
    .option("--output <file>", "write an archive for docker load, podman load or ctr images import instead")
    .action(async (options: { runtime: "auto" | "docker" | "podman"; output?: string }) =>
      (await import("./build.ts")).buildSamples(options),
    );
}
