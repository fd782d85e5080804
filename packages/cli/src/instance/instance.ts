/** `berg instance …`: the everyday commands, for those without kubectl. */
import { type Command, Option } from "commander";
import type { ExtendOptions } from "./run-extend.ts";
import type { ListOptions } from "./run-list.ts";
import type { RenewOptions } from "./run-renew.ts";
import type { ShowOptions } from "./run-show.ts";
import type { StartOptions } from "./run-start.ts";
import type { StopOptions } from "./run-stop.ts";
import type { ExitCode, Surroundings } from "./surroundings.ts";

/** Each is loaded when it runs. */
export function addInstanceCommand(berg: Command): void {
  const instance = berg.command("instance").description("start, see, renew, extend and stop instances of Challenges");

  const start = instance.command("start").argument("<challenge>", "name of the Challenge");
  start
    .description("start an instance, wait until it runs and print where to connect; exits with 1 where it fails")
    .option("--owner <uuid>", "whose it is, of whom each can have one; without it, a new owner's")
    .option("--flag <text>", "its flag; without it, one is made from the Challenge's and shown once")
    .option("--timeout <duration>", "how long it lives, such as 30m; without it, as the Challenge says")
    .option("--no-wait", "return as soon as it is asked for")
    .action((challenge: string, options: StartOptions) =>
      run(async (around) => (await import("./run-start.ts")).runStart(challenge, options, around)),
    );

  const list = instance.command("list").description("list instances and where to connect");
  list
    .option("-A, --all-namespaces", "those of all namespaces")
    .addOption(new Option("-o, --output <form>", "more columns").choices(["wide"]))
    .option("-w, --watch", "go on with a line for each change, until Ctrl-C")
    .action((options: ListOptions) => run(async (around) => (await import("./run-list.ts")).runList(options, around)));

  const show = instance.command("show").argument("<name>", "name of the instance");
  show
    .description("show all about one instance: addresses, time left, conditions and events")
    .action((name: string, options: ShowOptions) =>
      run(async (around) => (await import("./run-show.ts")).runShow(name, options, around)),
    );

  const renew = instance.command("renew").argument("<name>", "name of the instance");
  renew
    .description("ask for more time; exits with 1 where it is refused, and says why")
    .action((name: string, options: RenewOptions) =>
      run(async (around) => (await import("./run-renew.ts")).runRenew(name, options, around)),
    );

  const extend = instance.command("extend").argument("[name...]", "names of instances");
  extend
    .description("move the end of instances, for organisers after an outage; exits with 1 where one cannot be extended")
    .requiredOption("--by <duration>", "how much time to add, such as 30m")
    .option("--all", "all instances in the namespace that have an end; needs --yes")
    .option("--yes", "do it")
    .action((names: string[], options: ExtendOptions) =>
      run(async (around) => (await import("./run-extend.ts")).runExtend(names, options, around)),
    );

  const stop = instance.command("stop").argument("[name...]", "names of instances");
  stop
    .description("end instances, and wait until everything of them is gone")
    .option("--all", "all instances in the namespace; needs --yes")
    .option("--yes", "do it")
    .action((names: string[], options: StopOptions) =>
      run(async (around) => (await import("./run-stop.ts")).runStop(names, options, around)),
    );

  for (const command of [start, renew, extend, stop]) {
    command.option(
      "--wait-timeout <duration>",
      "wait for no longer than this, such as 2m; without it, until it is done",
    );
  }
  for (const command of [start, list, show, renew, extend, stop]) {
    command
      .option("-n, --namespace <name>", "namespace of instances and Challenges (default: the kubeconfig's, else berg)")
      .option(
        "--kubeconfig <file>",
        "the cluster, in place of KUBECONFIG, the pod's own, .berg/kubeconfig (berg up) or ~/.kube/config",
      )
      .option("--json", "print one JSON document, or with --watch one a line; packages/cli/src/instance/README.md");
  }
}

async function run(command: (around: Surroundings) => Promise<ExitCode>): Promise<void> {
  const { processSurroundings } = await import("./surroundings.ts");
  process.exitCode = await command(processSurroundings());
}
