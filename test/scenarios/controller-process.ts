/**
 * The controller under test as the process that we ship, `berg controller`, with a proxy of its own as in process. It
 * stands apart from the other controllers because whatever imports this file depends on the whole of cli: CI runs it
 * again after a change of any package.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Connection, kubeconfigFor } from "@berg/kube";
import type { ControllerOptions, RunningController } from "./controllers.ts";
import { startProxy, writesOf } from "./in-process.ts";
import type { World } from "./world.ts";

const main = join(import.meta.dirname, "../../packages/cli/src/main.ts");

/** With a lease, which is free unless another controller of this world runs. */
export function startControllerProcess(
  world: World,
  options: Omit<ControllerOptions, "clock"> = {},
): Promise<RunningController> {
  return world.startControllerWithLease(startAsProcess, options);
}

async function startAsProcess(
  target: Connection,
  namespace: string,
  { env = {}, only }: ControllerOptions,
): Promise<RunningController> {
  const proxy = await startProxy(target, only);
  const directory = await mkdtemp(join(tmpdir(), "berg-controller-"));
  const kubeconfig = join(directory, "kubeconfig");
  // No client sends a token over plain HTTP: the proxy adds the valid one.
  const contents = kubeconfigFor({ name: "proxy", server: proxy.connection.server, namespace, token: "none" });
  await writeFile(kubeconfig, contents, { mode: 0o600 });
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [main, "controller", "--kubeconfig", kubeconfig], {
    env: { PATH, HOME, HEALTH_PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "debug", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => output.push(line));
  }
  let isToldToEnd = false;
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = closed.then(([code, signal]) => {
    if (!isToldToEnd) throw new Error(`the controller ended with ${code ?? signal}: ${output.slice(-5).join("\n")}`);
  });
  ended.catch(() => {});
  const end = async (how: NodeJS.Signals, running: ChildProcess = child) => {
    isToldToEnd = true;
    if (how === "SIGKILL") proxy.sever();
    running.kill(how);
    await closed;
    await proxy.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return {
    proxy,
    output,
    ended,
    writes: () => writesOf(proxy),
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}
