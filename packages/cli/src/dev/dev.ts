/** `berg dev`: for authors of challenges. */
import { type Command, Option } from "commander";
import { allowCapabilities, directory, port } from "../up/up.ts";
import type { DevOptions } from "./run-dev.ts";
import { readTunnel } from "./tunnels/wanted.ts";

/** Loaded when it runs. */
export function addDevCommand(berg: Command): void {
  berg
    .command("dev")
    .argument("<file>", "YAML file with the Challenge")
    .description("run a challenge on this machine and restart it as its files change, until Ctrl-C")
    .option("--data-dir <directory>", "of the berg up that is used, or where it is started", directory, ".berg")
    .addOption(
      new Option("--runtime <engine>", "what runs containers; simulated runs none, and auto falls back to it")
        .choices(["auto", "docker", "podman", "simulated"])
        .default("auto"),
    )
    .option("--http-port <port>", "of challenges with a web page, where berg up does not run", port, 8000)
    .option("--tls-port <port>", "of challenges with TLS, where berg up does not run", port, 8443)
    .option(...allowCapabilities)
    .option(
      "--tunnel <name>=<host>:<port>",
      "let the containers reach this server, and none else of this machine; they find it in <NAME>_ENDPOINT (repeatable)",
      readTunnel,
      [],
    )
    .action(async (file: string, options: DevOptions) => {
      const { processSurroundings } = await import("../instance/surroundings.ts");
      const { runDev } = await import("./run-dev.ts");
      process.exitCode = await runDev(file, options, processSurroundings());
    });
}
