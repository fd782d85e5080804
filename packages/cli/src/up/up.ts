import { type Command, InvalidArgumentError, Option } from "commander";
import { readPublicUrl } from "../public-url.ts";
import type { UpOptions } from "./start-up.ts";

/** Of `berg up`, `dev` and `lint`. */
export const allowCapabilities = [
  "--allow-capabilities <list>",
  "let Challenges add these capabilities too, such as SYS_ADMIN,BPF; most of them make players root on this machine",
] as const;

/** Loaded when it runs: the other commands need no server. */
export function addUpCommand(berg: Command): void {
  berg
    .command("up")
    .description("run Berg on this machine, without a cluster, until told to stop")
    .addOption(
      new Option("--only <part>", "the Kubernetes control plane and a node, and nothing of Berg").choices([
        "control-plane",
      ]),
    )
    .option("--data-dir <directory>", "where objects, keys and the kubeconfig are kept", directory, ".berg")
    .addOption(
      new Option("--runtime <engine>", "what runs containers; simulated runs none, and auto falls back to it")
        .choices(["auto", "docker", "podman", "simulated"])
        .default("auto"),
    )
    .option(
      "--host <address>",
      "where everything listens; other machines reach it anywhere but on 127.0.0.1",
      "127.0.0.1",
    )
    .option("--port <port>", "of the API server, or 0 for any that is free", port, 6443)
    .option("--http-port <port>", "of challenges with a web page, or 0 for any that is free", port, 8000)
    .option("--tls-port <port>", "of challenges with TLS, or 0 for any that is free", port, 8443)
    .option("--web-port <port>", "of the pages and the API, or 0 for any that is free", port, 8080)
    .option("--public-url <url>", "where browsers reach the pages; http://berg.localhost:<port> by default", publicUrl)
    .option("--domain <domain>", "below which challenges get their hostnames", "localhost")
    .option(...allowCapabilities)
    .option(
      "--handouts <directory>",
      "where files for players are that Challenges name by a relative downloadUrl; can be given several times",
      (text: string, others: string[] | undefined) => [...(others ?? []), directory(text)],
    )
    .option("--no-samples", "without the sample challenges")
    .option("--nodes <count>", "how many simulated nodes there are, where nodes are simulated", count, 1)
    .action(async (options: UpOptions) => (await import("./run-up.ts")).runUp(options));
}

/** Of an option. */
export function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw new InvalidArgumentError("A port is 0 to 65535.");
  return Number(text);
}

/** Of an option. An empty one would be the working directory, which nobody means. */
export function directory(text: string): string {
  if (text === "") throw new InvalidArgumentError("A directory has a name.");
  return text;
}

/** Of an option. */
function publicUrl(text: string): string {
  try {
    return readPublicUrl(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function count(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError("A count of nodes is 0 to 999.");
  return Number(text);
}
