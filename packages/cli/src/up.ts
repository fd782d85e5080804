import { type Command, InvalidArgumentError, Option } from "commander";

/** Loaded when it runs: the other commands need no server. */
export function addUpCommand(berg: Command): void {
  berg
    .command("up")
    .description("run Berg on this machine, without a cluster, until told to stop; so far its control plane alone")
    .addOption(new Option("--only <part>", "what to run of it").choices(["control-plane"]).makeOptionMandatory())
    .option("--data-dir <directory>", "where objects, keys and the kubeconfig are kept", ".berg")
    .option(
      "--host <address>",
      "where the API server listens; other machines reach it anywhere but on 127.0.0.1",
      "127.0.0.1",
    )
    .option("--port <port>", "its port, or 0 for any that is free", port, 6443)
    .option("--nodes <count>", "how many simulated nodes there are; pods on them run nothing", count, 1)
    .action(async (options: { dataDir: string; host: string; port: number; nodes: number }) =>
      (await import("./run-up.ts")).runUp(options),
    );
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw new InvalidArgumentError("A port is 0 to 65535.");
  return Number(text);
}

function count(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError("A count of nodes is 0 to 999.");
  return Number(text);
}
